// Runs the built program as a user would, in a folder of its own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "temporary_folder.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace end_to_end {

struct Outcome {
  int code = -1;
  std::string out;
  std::string err;
};

inline std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A temporary working folder; `mixwell` runs in it, and keeps there what it keeps for its user.
class Workplace {
 public:
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }

  void write(const std::string& name, const std::string& text) const { folder_.file(name, text); }

  /// `arguments` as typed in a shell; `before` goes in front of the program, such as variables.
  Outcome mixwell(const std::string& arguments, const std::string& before = "") const {
    return shell(before + " \"" + MIXWELL_PROGRAM + "\" " + arguments);
  }

  Outcome shell(const std::string& command) const {
    const std::string line = "cd \"" + folder_.path() + "\" && export XDG_STATE_HOME=\"" +
                             path(".state") + "\" XDG_CACHE_HOME=\"${XDG_CACHE_HOME:-" +
                             path(".cache") + "}\" && { " + command + "\n} >.out 2>.err";
    const int status = std::system(line.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read(path(".out")), read(path(".err"))};
  }

 private:
  mixwell::testing::TemporaryFolder folder_;
};

inline void contains(const std::string& text, const std::string& part) {
  INFO("looking for \"" << part << "\" in \"" << text << "\"");
  CHECK(text.find(part) != std::string::npos);
}

/// Of the run in that folder.
inline std::string draws_hash(const Workplace& place, const std::string& folder) {
  return nlohmann::json::parse(read(place.path(folder + "/run.json"))).at("draws_sha256");
}

/// MIXWELL_PLUGIN_PATH of a folder that holds copies of these libraries of the build.
inline std::string with_plugins(const Workplace& place, const std::vector<std::string>& libraries) {
  namespace fs = std::filesystem;
  fs::create_directories(place.path("plugins"));
  for (const std::string& library : libraries) {
    fs::copy_file(MIXWELL_BUILD_DIR "/" + library,
                  place.path("plugins/" + fs::path(library).filename().string()),
                  fs::copy_options::skip_existing);
  }
  return "MIXWELL_PLUGIN_PATH=\"" + place.path("plugins") + "\"";
}

/// A normal target in three dimensions and a kernel that samples it, for what is not in `more`.
inline std::string gaussian_manifest(const std::string& run = "") {
  return "mixwell = 1\n[run]\nwarmup = 50\ndraws = 200\n" + run +
         "\n[model.g]\nuse = \"gaussian\"\ndimension = 3\n[kernel.hmc]\nuse = \"hamiltonian\"\n"
         "step_size = 0.5\nsteps = 4\n";
}

}  // namespace end_to_end
