// The folder for the results of one run.
// SPDX-License-Identifier: Apache-2.0
#include "run/result_folder.hpp"

#include "files/whole_file.hpp"
#include "run/checkpoint.hpp"
#include "run/mark.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/files/files.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

namespace mixwell {
namespace fs = std::filesystem;
namespace {

const LockTerms& terms() {
  static const LockTerms of_run{mark_name, marked_without_results, "a run in this folder", "", {}};
  return of_run;
}

[[noreturn]] void refuse(const std::string& path, const std::string& why,
                         const std::string& fix = "Choose another folder with --out.") {
  throw InputError(fmt::format("results folder `{}` {}. {}", path, why, fix));
}

void check_empty(const std::string& path) {
  if (holds_only_mark(path)) return;
  const bool unfinished = fs::exists(checkpoint_file(scratch_folder(path)));
  refuse(path, unfinished ? "contains an unfinished run" : "is not empty",
         (unfinished ? fmt::format("Continue the run with `mixwell run --resume {}`, choose", path)
                     : "Choose") +
             std::string(" another folder with --out, or replace the contents with --force."));
}

/// Throws unless the folder belongs to a run.
void check_own(const std::string& path) {
  if (!fs::is_directory(path)) {
    throw InputError(
        fmt::format("results folder `{}` cannot be created, because a file has this name. Choose "
                    "another folder with --out.",
                    path));
  }
  if (owner_of(path) == Owner::other) {
    refuse(path, fmt::format("contains files, but not `{}`, which marks the folder of a Mixwell "
                             "run. So Mixwell does not change this folder",
                             mark_name));
  }
  for (const std::string& name : {std::string("resume"), std::string("resume/look")}) {
    const fs::file_status found = fs::symlink_status(fs::path(path) / name);
    if (fs::exists(found) && !fs::is_directory(found)) {
      throw InputError(fmt::format(
          "{}/{}: this is {}, but a run needs a folder with this name. Move it away, or "
          "choose another folder with --out.",
          path, name, fs::is_symlink(found) ? "a symbolic link" : "a file"));
    }
  }
}

/// Throws if a link, or a file that Mixwell did not write, has the name of a result.
void check_names(const std::string& path, bool has_results) {
  for (const auto& entry : fs::directory_iterator(path)) {
    if (!is_result(entry.path().filename()) || (has_results && !entry.is_symlink())) continue;
    throw InputError(
        fmt::format("{}: the run would replace this file, which Mixwell did not write. "
                    "Move the file away, or choose another folder with --out.",
                    entry.path().string()));
  }
}

void check_no_links(const std::string& scratch) {
  for (const auto& entry : fs::directory_iterator(scratch)) {
    if (!entry.is_symlink()) continue;
    throw InputError(
        fmt::format("{}: this is a symbolic link, but a run needs the file itself. Replace the "
                    "link with the file, or run the manifest again with --force.",
                    entry.path().string()));
  }
}

fs::path whole_path(const std::string& path) {
  const fs::path whole = fs::absolute(path).lexically_normal();
  return whole.has_filename() ? whole : whole.parent_path();
}

/// The first missing folder on the way to `path`, including `path`; "" if none is missing.
fs::path first_missing(const std::string& path) {
  std::error_code ignored;
  fs::path missing;
  for (fs::path at = whole_path(path); !fs::exists(at, ignored); at = at.parent_path())
    missing = at;
  return missing;
}

/// Removes empty folders from `path` up to `first`.
void remove_made(const std::string& path, const fs::path& first) {
  std::error_code error;
  for (fs::path at = whole_path(path);; at = at.parent_path()) {
    if (!fs::remove(at, error) || at == first) return;  // a folder that is not empty stays
  }
}

void make_folder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) {
    throw InputError(
        fmt::format("results folder `{}` cannot be created: {}. Choose another folder with --out.",
                    path, error.message()));
  }
}

}  // namespace

std::string scratch_folder(const std::string& path) { return path + "/resume"; }

void check_idle(const std::string& path) { check_unlocked(path, terms()); }

ResultFolder::ResultFolder(const std::string& path, FolderUse use)
    : path_(path), scratch_(scratch_folder(path)) {
  first_made_ = first_missing(path).string();
  if (!first_made_.empty()) make_folder(path);
  try {
    claim(use);
  } catch (...) {
    if (!first_made_.empty()) remove_made(path_, first_made_);
    throw;
  }
}

/// Checks the folder before it takes the lock, so that a folder of someone else gets no mark.
/// Checks the folder again afterwards, because another run may have ended in between.
void ResultFolder::claim(FolderUse use) {
  check_own(path_);
  if (use == FolderUse::empty && !is_marked(path_)) check_empty(path_);
  const bool unmarked_results = owner_of(path_) == Owner::earlier_version;
  made_mark_ = !fs::exists(fs::symlink_status(path_ + "/" + mark_name));
  lock_ = std::make_unique<FolderLock>(path_, terms());
  if (unmarked_results) mark(marked_with_results);
  has_results_ = lock_title(path_ + "/" + mark_name) == marked_with_results;
  if (use == FolderUse::empty) check_empty(path_);
  check_own(path_);
  check_names(path_, has_results_);
}

void ResultFolder::mark(const char* title) const {
  if (!lock_->set_title(title) || force_to_disk(lock_->descriptor()) != 0)
    throw WriteError(path_ + "/" + mark_name, errno);
}

void ResultFolder::begin(bool goes_on) {
  begun_ = true;
  mark(has_results_ ? marked_with_results : marked_without_results);
  make_folder(scratch_);
  if (goes_on)
    check_no_links(scratch_);
  else
    remove_unfinished(scratch_);
}

ResultFolder::~ResultFolder() {
  std::error_code ignored;
  if (begun_ && fs::exists(checkpoint_file(scratch_), ignored)) return;
  if (begun_) {
    remove_unfinished(scratch_);
    fs::remove(scratch_, ignored);
  }
  if (made_mark_ && !has_results_ && holds_only_mark(path_)) lock_->remove_file();
  if (!first_made_.empty()) remove_made(path_, first_made_);
}

bool ResultFolder::can_go_on() const {
  try {
    const auto checkpoint = read_checkpoint(scratch_);
    return checkpoint && PartHashes::have_sizes(scratch_, checkpoint->parts);
  } catch (const InputError&) {
    return false;
  }
}

void ResultFolder::begin_results() {
  has_results_ = true;
  mark(marked_with_results);
  const std::string file = path_ + "/run.json";
  if (std::rename(file.c_str(), (scratch_ + "/run.json").c_str()) == 0) return remove_exports();
  if (const int error = errno; error != ENOENT || !fs::exists(path_)) throw WriteError(file, error);
}

/// Removes the files that `mixwell export` made from the earlier run.
void ResultFolder::remove_exports() const {
  for (int id = 1; ::unlink(fmt::format("{}/draws_{}.csv", path_, id).c_str()) == 0;) ++id;
  sync_folder(path_);
}

void ResultFolder::abandon_results() const {
  std::rename((scratch_ + "/run.json").c_str(), (path_ + "/run.json").c_str());
}

void ResultFolder::write(const std::string& name, const std::string& text) const {
  write_whole_file(path_ + "/" + name, text);
}

void ResultFolder::remove(const std::string& name) const { ::unlink((path_ + "/" + name).c_str()); }

void ResultFolder::end_results() const {
  remove("report.html");
  sync_folder(path_);
}

void ResultFolder::drop_checkpoint() const { ::unlink(checkpoint_file(scratch_).c_str()); }

}  // namespace mixwell
