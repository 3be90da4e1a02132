// Programs in the Stan language with engines made by hand: where they are found, and how they are
// called.
// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

#include <cstdlib>
#include <string>
#include <vector>

namespace {

using support::contains;

/// A program that the stubs take for theirs.
constexpr const char* program_text = "parameters {\n  real \"mu;\n}\n";

/// A folder with a program and data, and a process that knows of no engine.
class Case {
 public:
  explicit Case(const std::string& text = program_text) {
    write("x.stan", text);
    write("x.data.json", "{\"m\": 2}");
    std::filesystem::create_directory(folder() + "/bin");
    for (const char* const variable : {"MIXWELL_STANLI", "BRIDGESTAN", "CXX"}) ::unsetenv(variable);
    ::setenv("PATH", (folder() + "/bin").c_str(), 1);
    ::setenv("XDG_CACHE_HOME", (folder() + "/cache").c_str(), 1);
  }
  const std::string& folder() const { return folder_.path(); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder() + "/" + name) << text;
  }
  /// A program of the PATH.
  void provide(const std::string& name, const std::string& script) const {
    write("bin/" + name, "#!/bin/sh\nPATH=/usr/bin:/bin\n" + script + "\n");
    std::filesystem::permissions(folder() + "/bin/" + name, std::filesystem::perms::owner_all);
  }
  std::string keys(const std::string& more = "") const {
    return "use = \"stan\"\nprogram = \"" + folder() + "/x.stan\"\ndata = \"" + folder() +
           "/x.data.json\"\n" + more;
  }
  std::string refusal(const std::string& more = "") const { return support::refusal(keys(more)); }

 private:
  support::TemporaryFolder folder_;
};

const std::string stubs = std::string(MIXWELL_BUILD_DIR) + "/tests/stan/";

/// A package httpstan with a compiler `c++-by-hand`. Both save the arguments of their calls, stanc
/// does what the script says, and the linked library is one of the stubs.
void make_package(const Case& one, const std::string& library, const std::string& script = "") {
  const std::string package = one.folder() + "/site/httpstan";
  const std::string keeps_calls =
      "printf '%s|' \"$@\" >> " + one.folder() + "/calls; echo >> " + one.folder() + "/calls\n";
  std::filesystem::create_directories(package + "/include/stan");
  one.provide("python3", "[ \"$3\" = httpstan ] && echo " + package);
  one.provide("stanc", keeps_calls +
                           "for word; do case $word in --o=*) cp \"$PROGRAM\" \"${word#--o=}\";; "
                           "esac; done\n" +
                           script);
  std::filesystem::rename(one.folder() + "/bin/stanc", package + "/stanc");
  one.provide("c++-by-hand", keeps_calls + "while [ $# -gt 0 ]; do [ \"$1\" = -o ] && cp " + stubs +
                                 library + ".so \"$2\"; shift; done; true");
  ::setenv("CXX", "c++-by-hand", 1);
  ::setenv("PROGRAM", (one.folder() + "/x.stan").c_str(), 1);
}

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("without an engine the command that installs one is named", "[stan]") {
  const Case one;
  CHECK(contains(one.refusal(), "Mixwell cannot read programs in the Stan language"));
  CHECK(contains(one.refusal(), "Install it with `python3 -m pip install stanli`."));
  CHECK(contains(one.refusal("engine = \"interpret\"\n"), "`python3 -m pip install stanli`"));
  CHECK(contains(one.refusal("engine = \"compile\"\n"), "`python3 -m pip install httpstan`"));
  one.provide("python3", "exit 1");
  CHECK(contains(one.refusal(), "Install it with `python3 -m pip install stanli`."));
}

TEST_CASE("stanli is found by its variable and by the first python", "[stan]") {
  const Case one;
  ::setenv("MIXWELL_STANLI", (stubs + "libstanli.so").c_str(), 1);
  CHECK(one.refusal() == "accepted");
  ::setenv("MIXWELL_STANLI", "/no/where", 1);
  CHECK(contains(one.refusal(), "\"/no/where\" is neither libstanli.so nor the folder"));
  ::setenv("MIXWELL_STANLI", (stubs + "right.so").c_str(), 1);
  CHECK(contains(one.refusal(), "the library has no symbol stanli_stan_to_mir_with_opts"));
  ::unsetenv("MIXWELL_STANLI");
  std::filesystem::create_directories(one.folder() + "/site/stanli/_bin");
  std::filesystem::copy(stubs + "libstanli.so", one.folder() + "/site/stanli/_bin/libstanli.so");
  one.provide("python3",
              "[ \"$3\" = stanli ] && echo noise && echo " + one.folder() + "/site/stanli");
  CHECK(one.refusal() == "accepted");
  ::setenv("MIXWELL_STANLI", (one.folder() + "/site/stanli").c_str(), 1);
  CHECK(one.refusal() == "accepted");
}

TEST_CASE("an interpreted program travels with its data and says who reads it", "[stan]") {
  const Case one;
  ::setenv("MIXWELL_STANLI", (stubs + "libstanli.so").c_str(), 1);
  for (const char* const data : {"{\"m\": 2}", "{\"m\": 2 }\n", "{ \"k\": {\"1\": 2}, \"m\": 3}"}) {
    one.write("x.data.json", data);
    CHECK(one.refusal("engine = \"interpret\"\n") == "accepted");
  }
  one.write("x.data.json", "{\"NaN \\\"\": [-Infinity, NaN], \"m\": 2}");
  CHECK(one.refusal("engine = \"interpret\"\n") == "accepted");
  one.write("x.data.json", " { \n} ");
  CHECK(contains(one.refusal(), "variable name=m"));
  one.write("x.data.json", "{\"m\": 2}");
  const auto model = support::make_model(one.keys());
  REQUIRE(model->remarks().size() == 1);
  CHECK(contains(model->remarks()[0], "interpreted by stanli, build stub-1, " + stubs));
  CHECK(model->files() == std::vector<std::string>{stubs + "libstanli.so"});
  one.write("part.stan", "");
  one.write("x.stan", std::string("#include <part.stan>\n") + program_text);
  CHECK(support::make_model(one.keys())->files() ==
        std::vector<std::string>{one.folder() + "/part.stan", stubs + "libstanli.so"});
}

TEST_CASE("a program that does not compile is told with Stan's words, line and column", "[stan]") {
  const Case one("parameters {\n}\nwrong\n");
  ::setenv("MIXWELL_STANLI", (stubs + "libstanli.so").c_str(), 1);
  CHECK(contains(one.refusal(), one.folder() +
                                    "/x.stan:3:5: the program does not compile. Correct the "
                                    "program. Stan says:\nSyntax error "
                                    "in 'x.stan', line 3, column 4 to column 5: wrong."));
  const Case two("#include part.stan\n");
  ::setenv("MIXWELL_STANLI", (stubs + "libstanli.so").c_str(), 1);
  std::filesystem::create_directory(two.folder() + "/parts");
  two.write("parts/part.stan", "!");
  CHECK(contains(two.refusal("include_paths = [\"parts\"]\n"),
                 two.folder() + "/parts/part.stan:1:1: the program does not compile"));
  CHECK(contains(two.refusal("include_paths = [\"parts\"]\n"), "2 folders, first " + two.folder()));
  CHECK(contains(two.refusal("include_paths = [\"none\"]\n"), "there is no folder"));
}

TEST_CASE("the package httpstan compiles a program once", "[stan]") {
  const Case one;
  make_package(one, "right");
  const auto model = support::make_model(one.keys());
  REQUIRE(model->remarks().size() == 1);
  CHECK(contains(model->remarks()[0], "compiled with stanc and the headers of httpstan in "));
  const auto linked = [&] {
    const std::string calls = text_of(one.folder() + "/calls");
    std::size_t count = 0;
    for (std::size_t at = 0; (at = calls.find("-shared|", at)) != calls.npos; ++at) ++count;
    return count;
  };
  const std::string calls = text_of(one.folder() + "/calls");
  CHECK(contains(
      calls, "--name=x_model|--filename-in-msg=x.stan|--include-paths=" + one.folder() + "|--o="));
  CHECK(linked() == 1);
  CHECK(one.refusal() == "accepted");
  CHECK(linked() == 1);
  one.write("x.stan", std::string(program_text) + "// another\n");
  CHECK(one.refusal() == "accepted");
  CHECK(linked() == 2);
}

TEST_CASE("a checkout of BridgeStan is refused, and the path of a library named instead",
          "[stan]") {
  const Case one;
  const std::string cure =
      "Compile the model with BridgeStan and give the path of the library: `library = "
      "\"NAME_model.so\"` instead of `program`.";
  CHECK(contains(one.refusal("engine = \"compile\"\n"),
                 "Or compile the model with BridgeStan and "
                 "give the path of the library"));
  make_package(one, "right");
  ::setenv("BRIDGESTAN", one.folder().c_str(), 1);
  for (const char* const engine : {"", "engine = \"compile\"\n"}) {
    const std::string said = one.refusal(engine);
    CHECK(contains(said,
                   "BRIDGESTAN: Mixwell no longer compiles programs with a checkout of BridgeStan, "
                   "but this variable names one (\"" +
                       one.folder() + "\")"));
    CHECK(contains(said, cure));
  }
  CHECK_FALSE(std::filesystem::exists(one.folder() + "/calls"));
  ::setenv("MIXWELL_STANLI", (stubs + "libstanli.so").c_str(), 1);
  CHECK(one.refusal("engine = \"interpret\"\n") == "accepted");
  CHECK(
      contains(support::make_model(one.keys("engine = \"interpret\"\n"))->second()->why_not, cure));
  ::setenv("BRIDGESTAN", "", 1);
  CHECK(one.refusal() == "accepted");
}

TEST_CASE("where both engines are there a model has a second implementation", "[stan]") {
  const Case one;
  make_package(one, "right");
  CHECK_FALSE(support::make_model(one.keys())->second());
  ::setenv("MIXWELL_STANLI", (stubs + "libstanli.so").c_str(), 1);
  for (const auto& [engine, other] :
       {std::pair("compile", "interpret"), std::pair("interpret", "compile")}) {
    const auto model = support::make_model(one.keys("engine = \"" + std::string(engine) + "\"\n"));
    const auto second = model->second();
    REQUIRE(second);
    CHECK(contains(second->made_by, "engine `" + std::string(other) + "` ("));
    REQUIRE(second->model != nullptr);
    const Eigen::MatrixXd theta = Eigen::MatrixXd::Constant(3, 2, 0.5);
    CHECK(support::evaluate(*model, theta).g == support::evaluate(*second->model, theta).g);
  }
  const auto model = support::make_model(one.keys("engine = \"compile\"\n"));
  one.write("x.stan", "wrong\n");
  const auto second = model->second();
  REQUIRE(second);
  CHECK(second->model == nullptr);
  CHECK(contains(second->why_not, "the program does not compile"));
}

TEST_CASE("engines with other coordinates are told apart, and not compared", "[stan]") {
  const Case one;
  make_package(one, "other-map");
  ::setenv("MIXWELL_STANLI", (stubs + "libstanli.so").c_str(), 1);
  const auto second = support::make_model(one.keys("engine = \"compile\"\n"))->second();
  REQUIRE(second);
  CHECK(second->model == nullptr);
  CHECK(contains(second->why_not,
                 "the two engines map the same unconstrained coordinates to different parameter "
                 "values: `p.1` is "));
}

TEST_CASE("what a shell would take for something else reaches the compilers as it is", "[stan]") {
  const Case one;
  make_package(one, "right");
  const std::string folder = one.folder() + "/it's $(b); `c` \\ &";
  std::filesystem::create_directory(folder);
  const std::string program = folder + "/x $(y)'.stan";
  std::filesystem::rename(one.folder() + "/x.stan", program);
  ::setenv("PROGRAM", program.c_str(), 1);
  CHECK(support::refusal("use = \"stan\"\nprogram = '''" + program + "'''\ndata = \"" +
                         one.folder() + "/x.data.json\"\n") == "accepted");
  const std::string calls = text_of(one.folder() + "/calls");
  CHECK(contains(calls, "--name=x___y___model|--filename-in-msg=x___y__.stan|--include-paths=" +
                            folder + "|--o="));
  CHECK(contains(calls, "|" + program + "|\n"));
}

TEST_CASE("a folder with a comma in its name is refused, as stanc separates folders by commas",
          "[stan]") {
  const Case one;
  make_package(one, "right");
  std::filesystem::create_directory(one.folder() + "/a,b");
  CHECK(contains(one.refusal("include_paths = [\"a,b\"]\n"), "has a comma in its name"));
}

TEST_CASE("a failed compilation leaves nothing behind", "[stan]") {
  const Case one;
  make_package(one, "right",
               "echo \"Semantic error in 'x.stan', line 2, column 7 to column 9: nu\"; exit 2");
  CHECK(contains(
      one.refusal(),
      "x.stan:2:8: the program does not compile. Correct the program. Stan says:\nSemantic error "
      "in 'x.stan', line 2, column 7"));
  CHECK_FALSE(std::filesystem::exists(one.folder() + "/cache/mixwell/stan"));
  make_package(one, "right");
  one.provide("c++-by-hand",
              "case \"$*\" in *--version*) ;; *) echo \"fatal: tbb/x.h\"; exit 1;; esac");
  CHECK(contains(
      one.refusal(),
      "x.stan: the C++ code that stanc generated from this program does not compile, because "
      "the headers of oneTBB are missing"));
  for (const auto& entry :
       std::filesystem::directory_iterator(one.folder() + "/cache/mixwell/stan"))
    CHECK(entry.path().string().ends_with("-headers"));
}

TEST_CASE("a model has a program or a library, and keys that go with it", "[stan]") {
  const Case one;
  const std::string library = "library = \"" + stubs + "right.so\"\n";
  CHECK(contains(support::refusal("use = \"stan\"\n"),
                 "Give the path of a Stan program, or give `library` instead."));
  CHECK(contains(one.refusal(library), "library"));
  const std::string keys =
      "use = \"stan\"\n" + library + "data = \"" + one.folder() + "/x.data.json\"\n";
  CHECK(support::refusal(keys) == "accepted");
  CHECK(contains(support::refusal(keys + "engine = \"interpret\"\n"), "It needs program"));
  CHECK(contains(support::refusal(keys + "include_paths = [\".\"]\n"), "It needs program"));
}
