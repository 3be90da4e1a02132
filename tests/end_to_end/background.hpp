// A program that runs while a test sends it signals.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "program.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <thread>
#include <utility>

namespace end_to_end {

/// A run in the background, which is not left behind.
class Background {
 public:
  /// `words`: as typed in a shell; `before` goes in front of the program: variables.
  Background(const Workplace& place, const std::string& words, const std::string& before)
      : place_(place) {
    std::filesystem::remove(place.path("background.err"));  // of one before
    process_ = ::fork();
    REQUIRE(process_ >= 0);
    if (process_ != 0) return;
    const std::string line = "cd \"" + place.path("") + "\" && exec env " + before + " \"" +
                             MIXWELL_PROGRAM + "\" " + words + " >background.out 2>background.err";
    ::execl("/bin/sh", "sh", "-c", line.c_str(), static_cast<char*>(nullptr));
    std::_Exit(99);
  }
  ~Background() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  void send(int signal) const { ::kill(process_, signal); }

  /// Waits, for at most a minute, until it has written that to standard error.
  bool says(const std::string& text) const {
    for (int k = 0; k < 600; ++k, std::this_thread::sleep_for(std::chrono::milliseconds(100))) {
      if (read(place_.path("background.err")).find(text) != std::string::npos) return true;
    }
    return false;
  }

  /// Waits, for at most a minute, until a process that it has started sleeps.
  bool has_a_child_asleep() const {
    for (int k = 0; k < 600; ++k, std::this_thread::sleep_for(std::chrono::milliseconds(100))) {
      const std::string own = std::to_string(process_);
      std::istringstream children(read("/proc/" + own + "/task/" + own + "/children"));
      for (std::string child; children >> child;) {
        if (read("/proc/" + child + "/wchan").find("nanosleep") != std::string::npos) return true;
      }
    }
    return false;
  }

  int status() {
    int status = 0;
    ::waitpid(std::exchange(process_, -1), &status, 0);
    return status;
  }

 private:
  const Workplace& place_;
  pid_t process_ = -1;
};

}  // namespace end_to_end
