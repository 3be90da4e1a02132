// mixwell new: writes a plugin and its test from templates, as a project or into Mixwell's tree.
// SPDX-License-Identifier: Apache-2.0
#include "app/command.hpp"
#include "base/split.hpp"
#include "files/own_files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

namespace mixwell::app {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::string kind;
  std::string name;
  std::string folder = ".";
  std::string tree;  ///< root of Mixwell's source tree, or "" to write a separate project
  bool by_hand = false;
};

/// Name and text of a new file.
using File = std::pair<std::string, std::string>;

std::string read_template(const std::string& name) {
  return read_installed(beside_program(MIXWELL_TEMPLATES) / name);
}

/// The prefix of the names of the templates for component, test and manifest: their folder.
std::string way(const Arguments& arguments) { return arguments.by_hand ? "by-hand/" : ""; }

/// `my-model` -> `MyModel`.
std::string class_name(const std::string& name) {
  std::string result;
  bool first = true;
  for (const char c : name) {
    if (c != '-') {
      result += first ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    }
    first = c == '-';
  }
  return result;
}

/// `my-model` -> `my_model`.
std::string file_name(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

bool is_kebab_case(const std::string& name) {
  const std::vector<std::string_view> parts = split(name, '-');
  const bool are_words = std::all_of(parts.begin(), parts.end(), [](std::string_view part) {
    constexpr std::string_view known = "abcdefghijklmnopqrstuvwxyz0123456789";
    return !part.empty() && part.find_first_not_of(known) == part.npos;
  });
  return are_words && std::islower(static_cast<unsigned char>(name.front())) != 0;
}

/// Whether a class of that name would hide a class of the framework or of the template.
bool is_taken(const std::string& name, const std::string& source) {
  std::istringstream names(read_template("taken_names.txt"));
  for (std::string taken; std::getline(names, taken);) {
    if (taken == name) return true;
  }
  for (const char* word : {"class ", "struct ", "enum "}) {
    if (source.find(word + name + " ") != std::string::npos) return true;
  }
  return false;
}

void check_way(const Arguments& arguments) {
  if (!arguments.by_hand || arguments.kind == "model") return;
  throw InputError(fmt::format(
      "--by-hand works only with the kind `model` (got `{}`). Omit --by-hand", arguments.kind));
}

void check_name(const Arguments& arguments) {
  const std::string& name = arguments.name;
  if (!is_kebab_case(name)) {
    throw InputError(fmt::format(
        "\"{}\" is not a valid id of a component. Use kebab-case (a-z, 0-9, -), for example my-{}",
        name, arguments.kind));
  }
  if (is_taken(class_name(name), read_template(way(arguments) + arguments.kind + ".cpp.in"))) {
    throw InputError(
        fmt::format("the class of \"{}\" would be named {}, but Mixwell already uses this name. "
                    "Choose another id",
                    name, class_name(name)));
  }
}

std::string filled(std::string text, const Arguments& arguments) {
  const std::pair<std::string, std::string> places[] = {{"@NAME@", arguments.name},
                                                        {"@Class@", class_name(arguments.name)},
                                                        {"@FILE@", file_name(arguments.name)},
                                                        {"@KIND@", arguments.kind},
                                                        {"@VERSION@", MIXWELL_VERSION}};
  for (const auto& [place, value] : places) {
    for (std::size_t at = text.find(place); at != std::string::npos;
         at = text.find(place, at + value.size())) {
      text.replace(at, place.size(), value);
    }
  }
  return text;
}

/// Pairs of a template and the file that is made from it.
using Sources = std::vector<std::pair<std::string, std::string>>;

std::vector<File> filled(const Sources& sources, const Arguments& arguments) {
  std::vector<File> files;
  for (const auto& [source, file] : sources) {
    files.emplace_back(file, filled(read_template(source), arguments));
  }
  return files;
}

Sources of_project(const Arguments& arguments) {
  const std::string& kind = arguments.kind;
  const std::string source = way(arguments) + kind;
  const std::string folder = arguments.by_hand ? "by-hand/" : "project/";
  return {{source + ".cpp.in", arguments.name + ".cpp"},
          {source + "_test.cpp.in", "tests/" + file_name(arguments.name) + "_test.cpp"},
          {"project/CMakeLists.txt.in", "CMakeLists.txt"},
          {folder + "manifest_" + kind + ".toml.in", "manifest.toml"},
          {"project/README.md.in", "README.md"},
          {"project/gitignore.in", ".gitignore"},
          {"project/composing.hpp.in", "tests/composing.hpp"},
          {"project/support.hpp", "tests/support.hpp"},
          {"project/temporary_folder.hpp", "tests/temporary_folder.hpp"}};
}

/// The folder for components of that kind in Mixwell's tree.
std::string folder_of(const std::string& kind) {
  const bool outermost = kind == "model" || kind == "integrator" || kind == "estimator";
  return (outermost ? "" : "plugins/") + kind + (kind == "steps" ? "" : "s");
}

Sources of_tree(const Arguments& arguments) {
  const std::string& kind = arguments.kind;
  const std::string source = way(arguments) + kind;
  const std::string test = "tests/unit/" + file_name(arguments.name);
  // A component of another kind may already have a test with this name.
  const bool other = fs::exists(fs::path(arguments.tree) / (test + "_test.cpp"));
  return {{source + ".cpp.in", folder_of(kind) + "/" + arguments.name + ".cpp"},
          {source + "_test.cpp.in", test + (other ? "_" + kind : "") + "_test.cpp"}};
}

/// A temporary folder beside the final one. The destructor removes it with all files left in it.
class Draft {
 public:
  /// `cure`: the end of the error message, which says what to do if a file cannot be written.
  Draft(const fs::path& beside, std::string cure)
      : final_(beside),
        cure_(std::move(cure)),
        draft_(fs::path(beside).concat("-XXXXXX").string()) {
    if (::mkdtemp(draft_.data()) == nullptr) fail(errno);
    fs::permissions(draft_, fs::perms(0755));
  }
  ~Draft() {
    std::error_code ignored;
    fs::remove_all(draft_, ignored);
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  void write(const File& file) const {
    const fs::path path = fs::path(draft_) / file.first;
    fs::create_directories(path.parent_path());
    std::ofstream out(path, std::ios::binary);
    out << file.second;
    out.close();
    if (!out) fail(errno);
  }

  /// Renames the draft to the final folder.
  void keep() const {
    if (::rename(draft_.c_str(), final_.c_str()) != 0) fail(errno);
  }

  /// Moves one file to its place in the existing folder `root`.
  void move(const File& file, const fs::path& root) const {
    std::error_code ignored;
    fs::create_directories((root / file.first).parent_path(), ignored);
    const fs::path from = fs::path(draft_) / file.first;
    if (::rename(from.c_str(), (root / file.first).c_str()) != 0) fail(errno);
  }

 private:
  [[noreturn]] void fail(int error) const {
    throw InputError(
        fmt::format("cannot write `{}`: {}. {}", final_.string(), std::strerror(error), cure_));
  }

  fs::path final_;
  std::string cure_;
  std::string draft_;
};

void print_next_steps(const Arguments& arguments, const std::string& folder) {
  const fs::path package = beside_program(MIXWELL_PACKAGE);
  const bool installed = fs::exists(package);
  const std::string prefix =
      installed ? fs::canonical(beside_program("..")).string() : std::string("PREFIX");
  fmt::print(
      "The folder {0} contains the component {1}/{2}, its test, a manifest and a README.\n"
      "Next:\n"
      "  cmake -S {0} -B {0}/build -G Ninja -DCMAKE_PREFIX_PATH={3}\n"
      "  cmake --build {0}/build\n"
      "  ctest --test-dir {0}/build --output-on-failure\n"
      "  MIXWELL_PLUGIN_PATH={0}/build mixwell run {0}/manifest.toml\n",
      folder, arguments.kind, arguments.name, prefix);
  if (installed) return;
  fmt::print("Install Mixwell into PREFIX first: cmake --install BUILD --prefix PREFIX\n");
}

void make_project(const Arguments& arguments) {
  const fs::path folder = (fs::path(arguments.folder) / arguments.name).lexically_normal();
  if (!fs::is_directory(arguments.folder)) {
    throw InputError(fmt::format(
        "--in {}: this folder does not exist. Create this folder, or choose another folder",
        arguments.folder));
  }
  if (fs::exists(fs::symlink_status(folder))) {
    throw InputError(fmt::format(
        "`{}` already exists and was not changed. Choose another name, or another folder with --in",
        folder.string()));
  }
  const std::vector<File> files = filled(of_project(arguments), arguments);
  const Draft draft(folder, "Choose another folder with --in");
  for (const File& file : files) draft.write(file);
  draft.keep();
  print_next_steps(arguments, folder.string());
}

void check_tree(const fs::path& root) {
  const char* const sign = "framework/include/mixwell/plugin.hpp";
  if (fs::exists(root / sign)) return;
  throw InputError(fmt::format(
      "--in-tree {0}: this folder is not the root of Mixwell's source tree, because it has "
      "no {1}. Give the folder that has {1}",
      root.string(), sign));
}

/// Writes both files or none.
void make_in_tree(const Arguments& arguments) {
  const fs::path root = arguments.tree;
  check_tree(root);
  const std::vector<File> files = filled(of_tree(arguments), arguments);
  for (const File& file : files) {
    if (!fs::exists(fs::symlink_status(root / file.first))) continue;
    throw InputError(
        fmt::format("`{}` already exists and was not changed. Choose another name", file.first));
  }
  const Draft draft(root / "new", "Check the permissions of the folder and the free disk space");
  for (const File& file : files) draft.write(file);
  draft.move(files[0], root);
  try {
    draft.move(files[1], root);
  } catch (const InputError&) {
    fs::remove(root / files[0].first);
    throw;
  }
  fmt::print("The new files are {} and {}. Test them with ./dev test\n", files[0].first,
             files[1].first);
}

ExitCode make(const Arguments& arguments) {
  kind_called(arguments.kind);  // throws if there is no such kind
  check_way(arguments);
  check_name(arguments);
  if (arguments.tree.empty()) {
    make_project(arguments);
  } else {
    make_in_tree(arguments);
  }
  return ExitCode::ok;
}

constexpr const char* lesson =
    "The command writes the folder NAME/ with a working component that you can change:\n"
    "  NAME.cpp               the class, its parameters and its registration\n"
    "  tests/NAME_test.cpp    contract checks for this kind, and tests of this component\n"
    "  manifest.toml          a run that uses the component\n"
    "  CMakeLists.txt         builds the plugin and its test with an installed Mixwell\n"
    "  README.md              how to build, test and run the plugin\n"
    "NAME is the id of the component in manifests, in kebab-case. For example, the test of\n"
    "my-model is tests/my_model_test.cpp. The command never changes existing files.\n"
    "\n"
    "Kinds:\n"
    "  model                  the target density\n"
    "  integrator             steps of a numerical scheme for Hamiltonian or Langevin dynamics\n"
    "  estimator              a preconditioner computed from points and gradients\n"
    "  steps                  the number of steps of a trajectory\n"
    "  kernel                 a Markov transition\n"
    "  compositor             the slots (state variables), and the kernels that update them\n"
    "  oracle                 the potential for a kernel: U = -log density or an estimate of U\n"
    "  recorder               a file format for results\n"
    "The template of a model defines a log density, and Mixwell computes the gradient.\n"
    "With --by-hand, the template computes both U = -log density and the gradient of U.";

}  // namespace

Command new_command() {
  const auto given = std::make_shared<Arguments>();
  return {.name = "new",
          .purpose = "Create a project with one plugin and its test",
          .arguments = {{"kind KIND",
                         &given->kind,
                         fmt::format("Kind of the component: {}", fmt::join(kind_names(), ", ")),
                         {.words = kind_names()}},
                        {"name ID", &given->name, "Id of the component, for example my-model"},
                        {"--in DIR", &given->folder,
                         "Folder to create NAME/ in (default: the current folder)"},
                        {"--by-hand", &given->by_hand,
                         "Use the model template whose code computes the gradients at many points "
                         "in each call"},
                        {"--in-tree DIR",
                         &given->tree,
                         "Write only the component and its test, into Mixwell's source tree DIR",
                         {.excludes = {"--in"}}}},
          .example = "mixwell new model my-model --in ~/plugins",
          .notes = lesson,
          .action = [given] { return make(*given); }};
}

}  // namespace mixwell::app
