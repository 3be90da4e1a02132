// Signal handlers for stop requests and crashes. Crash messages name the plugin that was running.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/lab/stop_request.hpp>

#include <string>

namespace mixwell::app {

/// While this object exists, the first SIGINT or SIGTERM requests a stop. If the program still runs
/// a second later, it prints the plugin that it waits for. A second signal ends the program
/// as usual. Only one object may exist at a time.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  const StopRequest& request() const noexcept;
};

/// While this object exists, a crash (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) or a call of exit()
/// by a plugin prints which plugin's code was running, and ends the process with exit code 1. Files
/// are not touched, so the last checkpoint stays complete. Only one object may exist at a time.
class ProcessGuard {
 public:
  ProcessGuard();
  ~ProcessGuard();
  ProcessGuard(const ProcessGuard&) = delete;
  ProcessGuard& operator=(const ProcessGuard&) = delete;
};

/// Sets the text that a guard prints below its message.
void set_last_words(const std::string& text);

/// Ends the process as `_exit` does. If a guard exists, prints its message and uses exit code 1.
[[noreturn]] void end_process(int code) noexcept;

}  // namespace mixwell::app
