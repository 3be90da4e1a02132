// Distinguishes the files of a run from other files in the same folder.
// SPDX-License-Identifier: Apache-2.0
#include "run/mark.hpp"

#include "files/folder_lock.hpp"
#include "files/json.hpp"
#include "run/checkpoint.hpp"
#include "run/result_folder.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

namespace mixwell {
namespace fs = std::filesystem;
namespace {

bool is_checkpoint(const std::string& file) {
  if (!fs::is_regular_file(fs::symlink_status(file))) return false;
  std::ifstream in(file, std::ios::binary);
  std::string line;
  return std::getline(in, line) && line.starts_with("mixwell checkpoint ");
}

bool is_run_json(const std::string& file) {
  if (!fs::is_regular_file(fs::symlink_status(file))) return false;
  std::ifstream in(file, std::ios::binary);
  const auto json = parse_json_or_discard({std::istreambuf_iterator<char>(in), {}});
  return json.is_object() && json.contains("draws_sha256") && json.contains("versions") &&
         json.at("versions").is_object() && json.at("versions").contains("mixwell");
}

bool is_unfinished(const std::string& name) {
  return name.find(".partial") != std::string::npos || name == "checkpoint" || name == "run.json";
}

/// Removes files and links for whose names `is_own` is true.
template <class IsOwn>
void remove_files(const std::string& folder, IsOwn is_own) {
  std::error_code error;
  if (!fs::is_directory(fs::symlink_status(folder, error))) return;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (is_own(at->path().filename().string())) ::unlink(at->path().c_str());
  }
}

}  // namespace

bool is_marked(const std::string& folder) {
  const std::string title = lock_title(folder + "/" + mark_name);
  return title == marked_without_results || title == marked_with_results;
}

/// If a run is killed while it makes the mark, the mark has no title.
bool holds_only_mark(const std::string& folder) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const bool is_mark = at->path().filename() == mark_name;
    if (!is_mark || !(is_marked(folder) || fs::is_empty(at->path(), error))) return false;
  }
  return true;
}

Owner owner_of(const std::string& folder) {
  if (is_marked(folder)) return Owner::run;
  if (holds_only_mark(folder)) return Owner::nobody;
  if (fs::exists(fs::symlink_status(fs::path(folder) / mark_name))) return Owner::other;
  const std::string scratch = scratch_folder(folder);
  const bool own_scratch = fs::is_directory(fs::symlink_status(scratch));
  if (is_run_json(folder + "/run.json")) return Owner::earlier_version;
  return own_scratch && is_checkpoint(checkpoint_file(scratch)) ? Owner::earlier_version
                                                                : Owner::other;
}

bool is_result(const std::string& name) {
  constexpr std::array<std::string_view, 7> names = {
      "manifest.toml", "graph.dot", "certificate.json", "summary.json",
      "summary.nc",    "run.json",  "report.html"};
  const std::string_view whole = std::string_view(name).substr(0, name.find(".partial"));
  return whole.starts_with("draws") || std::find(names.begin(), names.end(), whole) != names.end();
}

void remove_unfinished(const std::string& scratch) noexcept {
  remove_files(scratch, is_unfinished);
  const std::string look = scratch + "/look";
  remove_files(look, is_result);
  ::rmdir(look.c_str());  // rmdir does not remove a symbolic link
}

}  // namespace mixwell
