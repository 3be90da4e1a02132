// Engine `compile`: Stan's own compiler and headers, and the system's C++ compiler.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "command.hpp"
#include "data.hpp"
#include "program.hpp"
#include "shim.hpp"

#include <mixwell/plugin.hpp>

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace mixwell::stan {

namespace detail {

inline void write_text(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  if (!out.flush())
    throw RunError(
        path +
        ": this file cannot be written. Check the permissions and the free space of its folder.");
}

/// A temporary folder. The destructor removes it.
class ScratchFolder {
 public:
  ScratchFolder() : path_(std::filesystem::temp_directory_path().string() + "/mixwell-XXXXXX") {
    if (::mkdtemp(path_.data()) == nullptr)
      throw RunError(path_ +
                     ": this temporary folder cannot be created. Check the folder that TMPDIR "
                     "names, its permissions and its free space. The system says: " +
                     std::strerror(errno));
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

/// The last lines of a compiler's output.
inline std::string last_lines(const std::string& text) {
  constexpr std::size_t most = 2000;
  const std::string all = without_end(text);
  return all.size() <= most ? all : "...\n" + all.substr(all.find('\n', all.size() - most) + 1);
}

inline std::string comma_separated(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ",") + word;
  return text;
}

/// stanc expects a list of folders that are separated by commas.
inline void require_no_commas(const std::vector<std::string>& folders) {
  for (const std::string& folder : folders)
    if (folder.find(',') != std::string::npos)
      throw ParameterError("include_paths", "\"" + folder +
                                                "\" has a comma in its name, but stanc expects a "
                                                "comma-separated list of folders. Rename the "
                                                "folder.");
}

}  // namespace detail

/// The package httpstan: stanc, and the headers and libraries that its C++ code needs. oneTBB comes
/// from the system, because the package has an older version and a process can load only one
/// version.
class Package {
 public:
  static constexpr const char* cure = "python3 -m pip install httpstan";

  /// The folder of the package in the first Python on PATH; "" if it is missing or incomplete.
  static std::string find() {
    const std::string folder = folder_of_package("httpstan");
    const bool is_whole = !folder.empty() && std::filesystem::exists(folder + "/stanc") &&
                          std::filesystem::is_directory(folder + "/include/stan");
    return is_whole ? folder : "";
  }

  /// Throws ParameterError if there is no C++ compiler, or if stanc cannot be run.
  explicit Package(std::string folder) : folder_(std::move(folder)) {
    if (::access(stanc().c_str(), X_OK) != 0)
      throw ParameterError("engine", "this engine needs permission to run " + stanc() +
                                         ". Run `chmod +x " + stanc() +
                                         "`. pip sets this permission when it installs httpstan.");
    const Finished version = run_command({compiler(), "--version"});
    if (version.status != 0)
      throw ParameterError(
          "engine", "this engine needs a C++ compiler, but `" + compiler() +
                        "` cannot be run. Install one with `apt-get install g++ libtbb-dev`.");
    flags_ = flags(version.output.find("Free Software Foundation") != std::string::npos);
    identity_ = "package\n" + folder_ + "\n" + run_command({stanc(), "--version"}).output +
                version.output + detail::comma_separated(flags_);
  }

  static bool has_compiler() { return run_command({compiler(), "--version"}).status == 0; }

  static std::string compiler() {
    const char* const chosen = std::getenv("CXX");
    return chosen == nullptr || *chosen == '\0' ? "g++" : chosen;
  }

  Made make(const Program& program, const std::string& data) const {
    const std::string text = translated(program);
    const std::string library =
        cached("stan", identity_ + shim_text + text, ".so",
               [&](const std::string& path) { build(program, text, path); });
    return {.library = library,
            .data = data,
            .engine = "compile",
            .remarks = {"the program was compiled with stanc and the headers of httpstan in " +
                        folder_ + ": " + library}};
  }

 private:
  static std::vector<std::string> flags(bool gcc) {
    return {"-std=c++17", "-O2", "-fPIC", "-fvisibility=hidden", "-fvisibility-inlines-hidden",
            // Keeps the records of two models in one process separate. Only GCC needs it.
            gcc ? "-fno-gnu-unique" : "-w", "-w", "-D_REENTRANT", "-DSTAN_THREADS",
            "-DTBB_INTERFACE_NEW", "-DBOOST_DISABLE_ASSERTS", "-DSTAN_OVERRIDE_EIGEN_ASSERT"};
  }

  /// With --O1 some programs fail at every point.
  static constexpr const char* unoptimised = "--O0";

  std::string stanc() const { return folder_ + "/stanc"; }

  /// The program translated to C++.
  std::string translated(const Program& program) const {
    detail::require_no_commas(program.include_paths);
    const detail::ScratchFolder scratch;
    const std::string source = scratch.file("model.hpp");
    std::vector<std::string> words = {
        stanc(), "--name=" + program.name() + "_model", "--filename-in-msg=" + program.told_name(),
        "--include-paths=" + detail::comma_separated(program.include_paths), "--o=" + source};
    words.insert(words.end(), {unoptimised, program.path});
    const Finished finished = run_command(words);
    if (finished.status != 0) refuse_program(program, finished.output);
    return text_of_file("program", source);
  }

  void build(const Program& program, const std::string& text, const std::string& path) const {
    // This message goes to the log of the run.
    std::fprintf(stderr, "mixwell: compiling %s (this takes about a minute, but only once)\n",
                 program.path.c_str());
    const detail::ScratchFolder scratch;
    detail::write_text(scratch.file("model.cpp"), text);
    const std::string object = scratch.file("model.o");
    compile(program, scratch.file("model.cpp"), object);
    std::vector<std::string> words = {compiler(), "-shared",     "-o",    path,
                                      object,     shim(program), "-ltbb", "-lm"};
    for (const char* const name : {"cvodes", "idas", "kinsol", "nvecserial"})
      words.push_back(folder_ + "/lib/libsundials_" + name + ".a");
    require(program, run_command(words));
  }

  void compile(const Program& program, const std::string& source, const std::string& object) const {
    std::vector<std::string> words = {compiler()};
    for (const std::string& flag : flags_) words.push_back(flag);
    words.insert(words.end(), {"-isystem", headers(), "-c", source, "-o", object});
    require(program, run_command(words));
  }

  static void require(const Program& program, const Finished& finished) {
    if (finished.status == 0) return;
    const bool lacks_tbb = finished.output.find("tbb/") != std::string::npos ||
                           finished.output.find("-ltbb") != std::string::npos;
    throw InputError({program.path, 0, 0},
                     "the C++ code that stanc generated from this program does not compile" +
                         std::string(lacks_tbb ? ", because the headers of oneTBB are missing. "
                                                 "Install them with `apt-get install libtbb-dev`"
                                               : ". Check the C++ compiler, or name another "
                                                 "compiler in the environment variable CXX") +
                         ". " + compiler() + " says:\n" + detail::last_lines(finished.output));
  }

  std::string shim(const Program& program) const {
    return cached("stan", identity_ + shim_text, ".o", [&](const std::string& path) {
      const detail::ScratchFolder scratch;
      detail::write_text(scratch.file("shim.cpp"), shim_text);
      compile(program, scratch.file("shim.cpp"), path);
    });
  }

  /// A folder with links to all headers of the package except its oneTBB.
  std::string headers() const {
    return cached("stan", identity_, "-headers", [&](const std::string& path) {
      std::filesystem::create_directory(path);
      for (const auto& entry : std::filesystem::directory_iterator(folder_ + "/include")) {
        const std::string name = entry.path().filename().string();
        if (name != "tbb") std::filesystem::create_symlink(entry.path(), path + "/" + name);
      }
    });
  }

  std::string folder_;
  std::vector<std::string> flags_;
  std::string identity_;  ///< everything that determines how a source is compiled
};

}  // namespace mixwell::stan
