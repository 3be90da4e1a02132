// mixwell new: what it writes, what it refuses, and that it leaves nothing half done.
// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <set>

using namespace end_to_end;

namespace {

std::set<std::string> files_in(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      names.insert(std::filesystem::relative(entry.path(), folder).string());
    }
  }
  return names;
}

/// What is said when nothing may be written.
std::string refusal(const std::string& arguments) {
  const Workplace place;
  const Outcome outcome = place.mixwell("new " + arguments);
  CHECK(outcome.code == 2);
  CHECK(outcome.out.empty());
  CHECK(files_in(place.path("")) == std::set<std::string>{".err", ".out"});
  return outcome.err;
}

}  // namespace

TEST_CASE("mixwell new writes a whole project for every kind") {
  for (const std::string kind : {"model", "integrator", "estimator", "steps", "kernel",
                                 "compositor", "oracle", "recorder"}) {
    const Workplace place;
    const std::string name = "my-" + kind;
    const Outcome outcome = place.mixwell("new " + kind + " " + name);
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    contains(outcome.out, "folder " + name + " contains the component " + kind + "/" + name);
    contains(outcome.out, "ctest --test-dir " + name + "/build");
    CHECK(files_in(place.path(name)) ==
          std::set<std::string>{".gitignore", "CMakeLists.txt", "README.md", "manifest.toml",
                                name + ".cpp", "tests/my_" + kind + "_test.cpp",
                                "tests/composing.hpp", "tests/support.hpp",
                                "tests/temporary_folder.hpp"});
    for (const std::string& file : files_in(place.path(name))) {
      const std::string text = read(place.path(name + "/" + file));
      INFO(file);
      CHECK(text.size() > 10);
      CHECK(text.find('@') == std::string::npos);
    }
    contains(read(place.path(name + "/CMakeLists.txt")),
             "mixwell_add_plugin(" + kind + "-" + name + " SOURCES " + name + ".cpp)");
    contains(read(place.path(name + "/manifest.toml")), "use = \"" + name + "\"");
  }
}

TEST_CASE("mixwell new writes into the folder that is named") {
  const Workplace place;
  place.write("plugins/there.txt", "");
  CHECK(place.mixwell("new kernel my-walk --in plugins").code == 0);
  CHECK(std::filesystem::exists(place.path("plugins/my-walk/my-walk.cpp")));
  const std::string text = read(place.path("plugins/my-walk/my-walk.cpp"));
  contains(text, "class MyWalk final : public TransitionKernel");
  INFO("docs/kernels.md shows what is written");
  contains(read(MIXWELL_SOURCE_DIR "/docs/kernels.md"), "```cpp\n" + text + "```\n");
}

TEST_CASE("mixwell new writes a component of every kind and its test into the tree of Mixwell") {
  const Workplace place;
  place.write("tree/framework/include/mixwell/plugin.hpp", "");
  const std::pair<std::string, std::string> folders[] = {{"model", "models"},
                                                         {"integrator", "integrators"},
                                                         {"estimator", "estimators"},
                                                         {"kernel", "plugins/kernels"},
                                                         {"compositor", "plugins/compositors"},
                                                         {"oracle", "plugins/oracles"},
                                                         {"steps", "plugins/steps"},
                                                         {"recorder", "plugins/recorders"}};
  for (const auto& [kind, folder] : folders) {
    const Outcome outcome = place.mixwell("new " + kind + " my-" + kind + " --in-tree tree");
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    const std::string component = folder + "/my-" + kind + ".cpp";
    const std::string test = "tests/unit/my_" + kind + "_test.cpp";
    CHECK(outcome.out ==
          "The new files are " + component + " and " + test + ". Test them with ./dev test\n");
    for (const std::string& file : {component, test}) {
      const std::string text = read(place.path("tree/" + file));
      contains(text, "my-" + kind);
      CHECK(text.find('@') == std::string::npos);
    }
  }
  CHECK(files_in(place.path("tree")).size() == 1 + 2 * std::size(folders));
}

TEST_CASE("mixwell new writes a model as a log density, or with a gradient by hand") {
  const Workplace place;
  CHECK(place.mixwell("new model own-density").code == 0);
  const std::string density = read(place.path("own-density/own-density.cpp"));
  contains(density, "class OwnDensity final : public DensityModel<OwnDensity>");
  CHECK(density.find("gradient =") == std::string::npos);
  INFO("docs/first-model.md shows the class");
  const std::size_t begin = density.find("/// y_n ~ N(mu");
  contains(read(MIXWELL_SOURCE_DIR "/docs/first-model.md"),
           density.substr(begin, density.find("}  // namespace") - begin));

  CHECK(place.mixwell("new model own-potential --by-hand").code == 0);
  contains(read(place.path("own-potential/own-potential.cpp")), "flat(out.gradient) =");
  contains(read(place.path("own-potential/tests/own_potential_test.cpp")), "exact draws");
  contains(read(place.path("own-potential/manifest.toml")), "mean = 2");
  place.write("tree/framework/include/mixwell/plugin.hpp", "");
  CHECK(place.mixwell("new model own-potential --by-hand --in-tree tree").code == 0);
  contains(read(place.path("tree/models/own-potential.cpp")), "flat(out.gradient) =");
}

TEST_CASE("mixwell new leaves what the tree has, and tells tests of two kinds apart") {
  const Workplace place;
  place.write("tree/framework/include/mixwell/plugin.hpp", "");
  place.write("tree/tests/unit/twice_test.cpp", "mine");
  CHECK(place.mixwell("new model twice --in-tree tree").code == 0);
  CHECK(read(place.path("tree/tests/unit/twice_test.cpp")) == "mine");
  contains(read(place.path("tree/tests/unit/twice_model_test.cpp")), "twice");

  place.write("tree/models/twice.cpp", "precious");
  const Outcome again = place.mixwell("new model twice --in-tree tree");
  CHECK(again.code == 2);
  contains(again.err, "`models/twice.cpp` already exists and was not changed. Choose another name");
  CHECK(read(place.path("tree/models/twice.cpp")) == "precious");

  const Outcome full = place.mixwell("new model other --in-tree tree", "ulimit -f 1;");
  CHECK(full.code == 2);
  contains(full.err, "File too large");
  CHECK(files_in(place.path("tree")).size() == 4);
}

TEST_CASE("mixwell new refuses wrong kinds and names, and says what is right") {
  contains(refusal("modle x"), "unknown kind \"modle\" (did you mean \"model\"?)");
  contains(refusal("model"), "name is required");
  for (const std::string name : {"MyModel", "my_model", "9lives", "my--model", "my-", "a/b", "''"})
    contains(refusal("model " + name), "is not a valid id of a component. Use kebab-case");
  contains(refusal("model my-model --in nowhere"), "--in nowhere: this folder does not exist");
  contains(refusal("model my-model --in-tree ."),
           "--in-tree .: this folder is not the root of Mixwell's source tree");
  contains(refusal("model my-model --in . --in-tree ."), "--in");
  contains(refusal("kernel my-walk --by-hand"),
           "--by-hand works only with the kind `model` (got `kernel`). Omit --by-hand");
  contains(refusal("model kernel"), "would be named Kernel, but Mixwell already uses this name");
  contains(refusal("kernel transition"),
           "would be named Transition, but Mixwell already uses this name");
  contains(refusal("model eigen"), "would be named Eigen, but Mixwell already uses this name");
}

TEST_CASE("mixwell new touches nothing that exists") {
  const Workplace place;
  place.write("my-model/precious.txt", "mine");
  const Outcome outcome = place.mixwell("new model my-model");
  CHECK(outcome.code == 2);
  contains(outcome.err, "`my-model` already exists and was not changed");
  CHECK(files_in(place.path("my-model")) == std::set<std::string>{"precious.txt"});
  CHECK(read(place.path("my-model/precious.txt")) == "mine");
  std::filesystem::create_directory(place.path("empty"));
  CHECK(place.mixwell("new model empty").code == 2);
  CHECK(files_in(place.path("empty")).empty());
}

TEST_CASE("mixwell new leaves nothing behind when it cannot write") {
  const Workplace place;
  const Outcome outcome = place.mixwell("new model my-model", "ulimit -f 1;");
  CHECK(outcome.code == 2);
  contains(outcome.err, "cannot write `my-model`: File too large");
  CHECK(files_in(place.path("")) == std::set<std::string>{".err", ".out"});
}

TEST_CASE("mixwell new --help teaches what is written and which kinds there are") {
  const Outcome outcome = Workplace().mixwell("new --help");
  CHECK(outcome.code == 0);
  for (const char* part :
       {"NAME.cpp", "manifest.toml", "kebab-case", "compositor", "recorder", "--by-hand"})
    contains(outcome.out, part);
}
