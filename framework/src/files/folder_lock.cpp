// Lets one process at a time work in a folder.
// SPDX-License-Identifier: Apache-2.0
#include "files/folder_lock.hpp"

#include "base/clock.hpp"
#include "base/host.hpp"
#include "base/split.hpp"

#include <mixwell/base/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <thread>

namespace mixwell {
namespace {

constexpr auto pause = std::chrono::milliseconds(50);
constexpr int lowest_descriptor = 10;  // smaller numbers are for the workers of a study

std::string text_of(const Descriptor& file) {
  std::array<char, 1024> text{};
  const ssize_t n = ::pread(file.get(), text.data(), text.size(), 0);
  return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(n, 0))};
}

Descriptor opened(const std::string& path, int flags) {
  Descriptor low(::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644));
  if (!low.is_open()) return low;
  return Descriptor(::fcntl(low.get(), F_DUPFD_CLOEXEC, lowest_descriptor));
}

/// Whether the path still names this file. The process that held the lock may have removed the
/// file.
bool has_name(const Descriptor& file, const std::string& path) {
  struct stat held = {};
  struct stat named = {};
  return ::fstat(file.get(), &held) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

[[noreturn]] void refuse(const Descriptor& file, const std::string& folder,
                         const LockTerms& terms) {
  const std::string text = text_of(file);
  const std::string_view holder =
      text.find('\n') == std::string::npos ? "another process" : line_of(text, 1);
  throw InputError(
      fmt::format("{}: {} is working on {}. Wait until this process ends, stop it, or choose "
                  "another folder with --out{}",
                  folder, holder, terms.work, terms.more_cure));
}

Descriptor locked(const std::string& path, const std::string& folder, const LockTerms& terms) {
  const auto until = Clock::now() + terms.patience;
  for (;;) {
    Descriptor file = opened(path, O_RDWR | O_CREAT);
    if (!file.is_open()) {
      throw InputError(
          fmt::format("{}: this lock file cannot be opened: {}. Choose another folder with --out",
                      path, std::strerror(errno)));
    }
    const bool mine = ::flock(file.get(), LOCK_EX | LOCK_NB) == 0;
    if (mine && has_name(file, path)) return file;
    if (!mine && Clock::now() >= until) refuse(file, folder, terms);
    if (!mine) std::this_thread::sleep_for(pause);
  }
}

}  // namespace

FolderLock::FolderLock(const std::string& folder, const LockTerms& terms)
    : path_(folder + "/" + terms.file), descriptor_(locked(path_, folder, terms)) {
  const std::string found(line_of(text_of(descriptor_), 0));
  set_title(found.empty() ? terms.title : found);
}

/// Overwrites both lines in one call, so that the file has a title even if the process is killed.
bool FolderLock::set_title(const std::string& title) const {
  const std::string text = title + "\n" + process_on(::getpid(), host_name()) + "\n";
  const auto size = static_cast<ssize_t>(text.size());
  return ::pwrite(descriptor(), text.data(), text.size(), 0) == size &&
         ::ftruncate(descriptor(), size) == 0;
}

void FolderLock::remove_file() const { ::unlink(path_.c_str()); }

void check_unlocked(const std::string& folder, const LockTerms& terms) {
  const Descriptor file = opened(folder + "/" + terms.file, O_RDONLY);
  if (file.is_open() && ::flock(file.get(), LOCK_SH | LOCK_NB) != 0) refuse(file, folder, terms);
}

std::string lock_title(const std::string& path) {
  struct stat found = {};
  if (::lstat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return {};
  const Descriptor file = opened(path, O_RDONLY);
  return file.is_open() ? std::string(line_of(text_of(file), 0)) : std::string();
}

}  // namespace mixwell
