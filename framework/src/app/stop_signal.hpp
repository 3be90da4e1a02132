// Ctrl-C as a request to end a run in good order.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/lab/stop_request.hpp>

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

}  // namespace mixwell::app
