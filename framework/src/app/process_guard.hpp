// The program's exit code is its own: what happens when code of a plugin crashes or ends the
// process.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mixwell::app {

/// While it lives, a crash (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) and an exit that is not the
/// program's own print which plugin's code was running, and end the process with exit code 1. Files
/// stay as they are: the last checkpoint is whole. One at a time.
class ProcessGuard {
 public:
  ProcessGuard();
  ~ProcessGuard();
  ProcessGuard(const ProcessGuard&) = delete;
  ProcessGuard& operator=(const ProcessGuard&) = delete;
};

/// Printed below the message of a guard, from now on.
void set_last_words(const std::string& text);

/// Ends the process as `_exit` does; under a guard with its message and exit code 1.
[[noreturn]] void end_process(int code) noexcept;

}  // namespace mixwell::app
