// What the program does on a signal: it ends when it can, or says which plugin's code crashed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/lab/stop_request.hpp>

#include <string>

namespace mixwell::app {

/// While it lives, the first SIGINT or SIGTERM makes `request`; where the program is at work a
/// second later, a line tells with which plugin's call. A second signal ends the program as usual.
/// One at a time.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  const StopRequest& request() const noexcept;
};

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
