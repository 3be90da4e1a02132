// The folder in which a cell runs: its own folder, or a folder on a local disk of the node.
// SPDX-License-Identifier: Apache-2.0
#include "files/whole_file.hpp"
#include "run/checkpoint.hpp"
#include "run/result_folder.hpp"
#include "study/measuring.hpp"

#include <mixwell/base/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

namespace mixwell::study {
namespace {

namespace fs = std::filesystem;

std::string folder_on(const std::string& scratch, const std::string& home) {
  return fmt::format("{}/mixwell-{}-{}", scratch, ::getpid(), fs::path(home).filename().string());
}

/// Waits until the file is on the disk.
void flush(const std::string& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

void copy_folder(const std::string& from, const std::string& to) {
  try {
    fs::create_directories(fs::path(to).parent_path());
    fs::copy(from, to, fs::copy_options::recursive | fs::copy_options::skip_symlinks);
    for (const auto& entry : fs::recursive_directory_iterator(to))
      entry.is_directory() ? sync_folder(entry.path().string()) : flush(entry.path().string());
  } catch (const fs::filesystem_error& fault) {
    throw RunError(fmt::format("Mixwell cannot copy {} to {}: {}. Check both disks.", from, to,
                               fault.code().message()));
  }
}

void rename_folder(const std::string& from, const std::string& to) {
  std::error_code error;
  fs::remove_all(to, error);
  if (!error) fs::rename(from, to, error);
  if (error)
    throw RunError(fmt::format("Mixwell cannot rename {} to {}: {}. Check the disk.", from, to,
                               error.message()));
  sync_folder(fs::path(to).parent_path().string());
}

}  // namespace

CellPlace::CellPlace(const std::string& cell_folder, const std::string& scratch)
    : home_(cell_folder), folder_(scratch.empty() ? home_ : folder_on(scratch, home_)) {
  if (!is_away()) return;
  std::error_code ignored;
  fs::remove_all(folder_, ignored);  // may be left from an earlier process with the same number
  if (fs::exists(checkpoint_file(scratch_folder(home_)))) copy_folder(home_, folder_);
}

CellPlace::~CellPlace() {
  std::error_code ignored;
  if (is_away()) fs::remove_all(folder_, ignored);
}

void CellPlace::bring_home() const {
  if (!is_away() || !fs::exists(folder_)) return;
  const std::string arriving = home_ + ".partial";
  std::error_code ignored;
  fs::remove_all(arriving, ignored);
  copy_folder(folder_, arriving);
  rename_folder(arriving, home_);
}

}  // namespace mixwell::study
