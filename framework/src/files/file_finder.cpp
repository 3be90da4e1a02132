// Where the data files named in a manifest are.
// SPDX-License-Identifier: Apache-2.0
#include "files/file_finder.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace mixwell {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

}  // namespace

FileFinder::FileFinder(const std::string& manifest)
    : beside_(fs::absolute(manifest).parent_path().lexically_normal().string()) {
  const char* const list = std::getenv("MIXWELL_DATA");
  std::istringstream in(list == nullptr ? "" : list);
  for (std::string folder; std::getline(in, folder, ':');) {
    if (!folder.empty()) data_folders_.push_back(folder);
  }
}

FoundFile FileFinder::find(const std::string& name, const std::string& what,
                           const Location& where) const {
  const fs::path first = (fs::path(beside_) / name).lexically_normal();
  if (is_file(first)) return {first.string(), first.string()};
  std::string tried = first.string();
  for (const std::string& folder : data_folders_) {
    const fs::path path = fs::path(folder) / name;
    if (is_file(path)) return {path.string(), name};
    tried += ", " + path.string();
  }
  throw InputError(where, fmt::format("{} = \"{}\": no such file (tried {}); a relative name is "
                                      "looked up beside the manifest, then in the folders of "
                                      "MIXWELL_DATA",
                                      what, name, tried));
}

}  // namespace mixwell
