// The folder of one run's results.
// SPDX-License-Identifier: Apache-2.0
#include "run/result_folder.hpp"

#include "files/whole_file.hpp"
#include "run/checkpoint.hpp"

#include <mixwell/error.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

namespace mixwell {
namespace fs = std::filesystem;
namespace {

void check_reusable(const std::string& path, FolderUse use) {
  if (!fs::is_directory(path)) {
    throw InputError(fmt::format(
        "results folder `{}`: a file of that name is there; choose another with --out", path));
  }
  if (fs::is_empty(path) || use == FolderUse::resume) return;
  if (use == FolderUse::empty) {
    const bool unfinished = fs::exists(checkpoint_file(scratch_folder(path)));
    throw InputError(fmt::format(
        "results folder `{}` {}; choose another with --out, or replace it with --force", path,
        unfinished ? "holds a run that can go on: `mixwell run --resume` and that folder"
                   : "is not empty"));
  }
  if (!fs::exists(fs::path(path) / "run.json") && !fs::exists(scratch_folder(path))) {
    throw InputError(
        fmt::format("results folder `{}` holds files but no run.json: it is no earlier "
                    "run, so --force does not touch it; choose another with --out",
                    path));
  }
}

void make_folder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) {
    throw InputError(
        fmt::format("results folder `{}` cannot be made: {}; choose another with --out", path,
                    error.message()));
  }
}

/// The folder itself stays, as the sign that what is beside it is a run's.
void make_empty(const std::string& scratch) {
  make_folder(scratch);
  for (const auto& entry : fs::directory_iterator(scratch)) fs::remove_all(entry.path());
}

}  // namespace

std::string scratch_folder(const std::string& path) { return path + "/resume"; }

ResultFolder::ResultFolder(const std::string& path, FolderUse use)
    : path_(path), scratch_(scratch_folder(path)) {
  std::error_code ignored;
  const bool goes_on = use == FolderUse::resume && fs::exists(checkpoint_file(scratch_), ignored);
  created_ = !fs::exists(path, ignored);
  if (created_) {
    make_folder(path);
  } else {
    check_reusable(path, use == FolderUse::resume && !goes_on ? FolderUse::replace : use);
  }
  if (!goes_on) make_empty(scratch_);
}

ResultFolder::~ResultFolder() {
  std::error_code ignored;
  if (fs::exists(checkpoint_file(scratch_), ignored)) return;
  fs::remove_all(scratch_, ignored);
  if (created_ && fs::is_empty(path_, ignored)) fs::remove(path_, ignored);
}

void ResultFolder::begin_results() const {
  if (std::rename((path_ + "/run.json").c_str(), (scratch_ + "/run.json").c_str()) != 0) return;
  sync_folder(path_);
}

void ResultFolder::abandon_results() const {
  std::rename((scratch_ + "/run.json").c_str(), (path_ + "/run.json").c_str());
}

void ResultFolder::write(const std::string& name, const std::string& text) const {
  write_whole_file(path_ + "/" + name, text);
}

void ResultFolder::end_results() const {
  ::unlink((path_ + "/report.html").c_str());
  sync_folder(path_);
}

void ResultFolder::drop_checkpoint() const { ::unlink(checkpoint_file(scratch_).c_str()); }

}  // namespace mixwell
