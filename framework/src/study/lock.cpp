// One process at a time works on a study.
// SPDX-License-Identifier: Apache-2.0
#include "study/lock.hpp"

#include <mixwell/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

namespace mixwell::study {
namespace {

constexpr int tries = 60;
constexpr auto pause = std::chrono::milliseconds(50);
constexpr int lowest_descriptor = 10;  // above those that workers are given

std::string holder(int descriptor) {
  std::array<char, 256> text{};
  const ssize_t n = ::pread(descriptor, text.data(), text.size() - 1, 0);
  return n > 0 ? std::string(text.data(), static_cast<std::size_t>(n)) : "another process";
}

}  // namespace

StudyLock::StudyLock(const std::string& folder) {
  const std::string path = folder + "/study.lock";
  const int low = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (low < 0) {
    throw InputError(fmt::format("{}: cannot be opened: {}; choose another folder with --out", path,
                                 std::strerror(errno)));
  }
  descriptor_ = ::fcntl(low, F_DUPFD_CLOEXEC, lowest_descriptor);
  ::close(low);
  for (int k = 0; ::flock(descriptor_, LOCK_EX | LOCK_NB) != 0; ++k) {
    if (k == tries) {
      const std::string who = holder(descriptor_);
      ::close(descriptor_);
      throw InputError(fmt::format(
          "{}: {} is at work on this study; wait for it or end it, or choose another folder with "
          "--out (`--table` shows how far it is)",
          folder, who));
    }
    std::this_thread::sleep_for(pause);
  }
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  const std::string text = fmt::format("process {} on {}", ::getpid(), host.data());
  // Only for messages: a full disk must not matter here.
  if (::ftruncate(descriptor_, 0) == 0 && ::pwrite(descriptor_, text.data(), text.size(), 0) < 0) {
    errno = 0;
  }
}

StudyLock::~StudyLock() { ::close(descriptor_); }

}  // namespace mixwell::study
