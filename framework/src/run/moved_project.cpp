// Finds the data files of an interrupted run after the project folder was moved.
// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.hpp"
#include "component/toml_text.hpp"
#include "files/sha256.hpp"
#include "run/checkpoint.hpp"

#include <mixwell/base/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace mixwell {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> candidates(const std::string& path, const std::string& folder_then,
                                    const std::string& folder_now) {
  std::vector<std::string> all;
  if (!folder_then.empty()) {
    const fs::path relative = fs::path(path).lexically_relative(folder_then);
    all.push_back((fs::absolute(folder_now) / relative).lexically_normal().string());
  }
  const char* const list = std::getenv("MIXWELL_DATA");
  std::istringstream in(list == nullptr ? "" : list);
  for (std::string folder; std::getline(in, folder, ':');) {
    if (!folder.empty()) all.push_back((fs::absolute(folder) / fs::path(path).filename()).string());
  }
  return all;
}

bool is_it(const std::string& path, const std::string& sha256) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && file_sha256(path) == sha256;
}

[[noreturn]] void refuse(const std::string& file, const std::string& path,
                         const std::vector<std::string>& tried) {
  throw InputError(
      fmt::format("{}: the run needs the data file {}, which does not exist. There is also no file "
                  "with the same contents at {}. Restore the file, or add the folder that contains "
                  "it to MIXWELL_DATA.",
                  file, path, fmt::join(tried, ", nor at ")));
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

bool is_data(const std::pair<std::string, std::string>& file) {
  return file.first.starts_with(Origin::data_file);
}

}  // namespace

Origin origin_moved_to(const std::string& folder, const Checkpoint& checkpoint,
                       const std::string& file) {
  Origin moved = checkpoint.origin;
  for (auto& [name, sha256] : moved.files) {
    if (!is_data({name, sha256})) continue;
    const std::string path = name.substr(Origin::data_file.size());
    if (fs::exists(path)) continue;
    const auto tried = candidates(path, checkpoint.folder, folder);
    const auto found =
        std::find_if(tried.begin(), tried.end(),
                     [&expected = sha256](const std::string& one) { return is_it(one, expected); });
    if (found == tried.end()) {
      if (moved.manifest.find(toml_text(path)) != std::string::npos) refuse(file, path, tried);
      continue;  // parse_manifest() looks up the name of the file again
    }
    replace_all(moved.manifest, toml_text(path), toml_text(*found));
    name = std::string(Origin::data_file) + as_utf8(*found);
  }
  std::sort(std::find_if(moved.files.begin(), moved.files.end(), is_data), moved.files.end());
  return moved;
}

}  // namespace mixwell
