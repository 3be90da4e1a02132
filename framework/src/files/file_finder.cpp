// Finds the data files that a manifest names.
// SPDX-License-Identifier: Apache-2.0
#include "files/file_finder.hpp"

#include "base/shortened.hpp"
#include "base/split.hpp"
#include "base/utf8.hpp"
#include "files/reading.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace mixwell {
namespace {

namespace fs = std::filesystem;

/// The places where a file was searched for, and the reason why each place was rejected.
class FileSearch {
 public:
  bool finds(const fs::path& path) {
    const std::string why = why_no_file(path.string());
    if (why.empty()) return true;
    const bool absent = why == std::strerror(ENOENT);
    all_absent_ = all_absent_ && absent;
    tried_ += (tried_.empty() ? "" : ", ") + shortened(path.string(), longest_path);
    if (!absent) tried_ += ": " + why;
    return false;
  }

  std::string text() const {
    return fmt::format("{} (tried {})",
                       all_absent_ ? "there is no such file" : "the file cannot be read", tried_);
  }

 private:
  static constexpr std::size_t longest_path = 300;
  std::string tried_;
  bool all_absent_ = true;
};

/// Checks a path that manifest.toml and run.json will record.
void require_utf8(const std::string& path, const std::string& key, const Location& where) {
  if (is_utf8(path)) return;
  throw InputError(
      where,
      fmt::format("{}: the path \"{}\" is not valid UTF-8, but the results of a run record this "
                  "path as UTF-8 text. Rename the folder or file whose name is not UTF-8",
                  key, shortened(path, 300)));
}

}  // namespace

std::vector<std::string> folders_in(const char* variable) {
  const char* const list = std::getenv(variable);
  std::vector<std::string> folders;
  for (const std::string_view folder : split(list == nullptr ? "" : list, ':')) {
    if (!folder.empty()) folders.emplace_back(folder);
  }
  return folders;
}

FileFinder::FileFinder(const std::string& manifest)
    : beside_(fs::absolute(manifest).parent_path().lexically_normal().string()),
      data_folders_(folders_in("MIXWELL_DATA")) {}

FoundFile FileFinder::find(const std::string& name, const std::string& what,
                           const Location& where) const {
  const fs::path first = (fs::path(beside_) / name).lexically_normal();
  FileSearch search;
  if (search.finds(first)) {
    require_utf8(first.string(), what, where);
    return {first.string(), first.string()};
  }
  const bool is_relative = fs::path(name).is_relative();
  for (const std::string& folder : is_relative ? data_folders_ : std::vector<std::string>()) {
    const fs::path path = fs::path(folder) / name;
    if (search.finds(path)) return {path.string(), name};
  }
  throw InputError(where,
                   fmt::format("{} = \"{}\": {}. Mixwell looks for a relative path first in the "
                               "manifest's folder, then in the folders that MIXWELL_DATA lists. "
                               "Correct the path, or move the file to one of these folders",
                               what, shortened(name), search.text()));
}

}  // namespace mixwell
