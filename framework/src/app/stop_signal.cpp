// Ctrl-C as a request to end a run in good order.
// SPDX-License-Identifier: Apache-2.0
#include "app/stop_signal.hpp"

#include <csignal>

namespace mixwell::app {
namespace {

std::atomic<bool> stop_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only store lock-free");

void request_stop(int) { stop_requested.store(true); }

void set(int signal, void (*handler)(int), int flags) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(signal, &action, nullptr);
}

}  // namespace

StopSignal::StopSignal() {
  stop_requested.store(false);
  for (const int signal : {SIGINT, SIGTERM}) {
    set(signal, request_stop, static_cast<int>(SA_RESETHAND | SA_RESTART));
  }
}

StopSignal::~StopSignal() {
  for (const int signal : {SIGINT, SIGTERM}) set(signal, SIG_DFL, 0);
}

const std::atomic<bool>& StopSignal::requested() const noexcept { return stop_requested; }

}  // namespace mixwell::app
