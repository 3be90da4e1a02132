// Ctrl-C as a request to end a run in good order.
// SPDX-License-Identifier: Apache-2.0
#include "app/stop_signal.hpp"

#include "app/call_words.hpp"
#include "base/present_call.hpp"

#include <unistd.h>

#include <array>
#include <csignal>

namespace mixwell::app {
namespace {

constexpr unsigned patience_seconds = 1;
constexpr std::array<int, 2> stopping = {SIGINT, SIGTERM};

/// Most summaries are made in this time: of a run that was ended by hand, too, a user wants the
/// table.
constexpr double patience = 2.0;  // s
StopRequest stop_request{patience};

void set(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

/// The second one does what it would have done without a handler, once this returns.
void request_stop(int signal) {
  if (!stop_request.make()) {
    set(signal, SIG_DFL);
    ::raise(signal);
    return;
  }
  ::alarm(patience_seconds);
}

/// Of the first thread that is in a call, for the others mostly are in the same. Between two calls
/// it asks again.
void tell_what_it_waits_for(int) {
  for (const PresentCall& call : present_calls()) {
    if (call.task() == nullptr && call.component() == nullptr) continue;
    tell("mixwell: note: the program ends when it can, and is still");
    tell_of(call);
    tell("; a second signal ends it at once, and keeps the last checkpoint if there is one\n");
    return;
  }
  ::alarm(patience_seconds);
}

}  // namespace

StopSignal::StopSignal() {
  stop_request.withdraw();
  set(SIGALRM, tell_what_it_waits_for);
  for (const int signal : stopping) set(signal, request_stop);
}

StopSignal::~StopSignal() {
  for (const int signal : stopping) set(signal, SIG_DFL);
  ::alarm(0);
  set(SIGALRM, SIG_DFL);
}

const StopRequest& StopSignal::request() const noexcept { return stop_request; }

}  // namespace mixwell::app
