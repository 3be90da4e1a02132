// A request to end a long computation early.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/lab/stop_request.hpp>

namespace mixwell {

Stopped::Stopped(const std::string& what)
    : RunError(what + " was stopped on request before it ended") {}
Stopped::~Stopped() = default;

void end_if_overdue(const StopRequest* request, const char* what) {
  if (request != nullptr && request->is_overdue()) throw Stopped(what);
}

}  // namespace mixwell
