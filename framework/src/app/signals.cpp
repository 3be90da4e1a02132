// Signal handlers for stop requests and crashes. Crash messages name the plugin that was running.
// SPDX-License-Identifier: Apache-2.0
#include "app/signals.hpp"

#include "base/present_call.hpp"
#include "component/locations.hpp"
#include "system/system.hpp"

#include <mixwell/base/error.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace mixwell::app {
namespace {

void tell(const char* text) noexcept {
  for (std::size_t left = std::strlen(text); left > 0;) {
    const ssize_t n = ::write(STDERR_FILENO, text, left);
    if (n <= 0) return;
    text += n;
    left -= static_cast<std::size_t>(n);
  }
}

/// " in the operation `hmc/refresh` of [kernel.hmc] (...), in [model.g] (...)".
void tell_of(const PresentCall& call) noexcept {
  const char* const component = words_for(call.component());
  if (call.task() == nullptr && component == nullptr) return tell(" outside of plugin code");
  if (call.task() != nullptr) {
    tell(" in ");
    tell(call.task());
  }
  if (component == nullptr) return;
  tell(call.task() == nullptr ? " in " : ", in ");
  tell(component);
}

constexpr unsigned patience_seconds = 1;
constexpr std::array<int, 2> stopping = {SIGINT, SIGTERM};

/// Time limit for the summary of an interrupted run. Most summaries need less time.
constexpr double patience = 2.0;  // s
StopRequest stop_request{patience};

void set(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

/// The first signal requests a stop. The second signal has its default effect when this function
/// returns.
void request_stop(int signal) {
  if (!stop_request.make()) {
    set(signal, SIG_DFL);
    ::raise(signal);
    return;
  }
  ::alarm(patience_seconds);
}

/// Prints the plugin call of the first thread that is in a plugin. Other threads are mostly in the
/// same call. If no thread is in a plugin, tries again later.
void tell_what_it_waits_for(int) {
  for (const PresentCall& call : present_calls()) {
    if (call.task() == nullptr && call.component() == nullptr) continue;
    tell("mixwell: note: the program will end as soon as it can, but it is still");
    tell_of(call);
    tell(
        ". A second signal ends the program immediately. The last checkpoint, if there is one, is "
        "kept\n");
    return;
  }
  ::alarm(patience_seconds);
}

struct Crash {
  int signal;
  const char* words;
  struct sigaction before = {};
};
std::array<Crash, 5> crashes = {{{SIGSEGV, "segmentation fault (SIGSEGV)"},
                                 {SIGBUS, "bus error (SIGBUS)"},
                                 {SIGFPE, "arithmetic error (SIGFPE)"},
                                 {SIGILL, "illegal instruction (SIGILL)"},
                                 {SIGABRT, "aborted (SIGABRT)"}}};

/// The process that a ProcessGuard guards. The children of this process are not guarded.
std::atomic<pid_t> guarded{0};
std::atomic<const char*> last_words{nullptr};

void tell_rest() noexcept {
  if (const PresentCall* const call = signalled_call()) tell_of(*call);
  tell("\n");
  if (const char* const words = last_words) tell(words);
}

/// Writes a message to standard error. A handler that was installed before, such as a sanitizer's,
/// runs after the message.
void tell_of_crash(int signal, siginfo_t* info, void* context) {
  const Crash& crash = *std::find_if(crashes.begin(), crashes.end(),
                                     [&](const Crash& one) { return one.signal == signal; });
  tell("mixwell: error: the process crashed: ");
  tell(crash.words);
  tell_rest();
  if ((crash.before.sa_flags & SA_SIGINFO) != 0) crash.before.sa_sigaction(signal, info, context);
  end_now(static_cast<int>(ExitCode::failed));
}

void refuse_exit(int code, void*) {
  if (guarded == ::getpid()) end_process(code);
}

void refuse_quick_exit() { refuse_exit(EXIT_SUCCESS, nullptr); }

/// Registers handlers that run after the exit handlers of plugins and before those of libraries.
void listen_to_exits() {
  static const bool listens = [] {
    call_at_exit(refuse_exit);
    call_at_quick_exit(refuse_quick_exit);
    return true;
  }();
  static_cast<void>(listens);
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

ProcessGuard::ProcessGuard() {
  const CallMark first(nullptr);  // gives this thread a stack for signals
  listen_to_exits();
  struct sigaction action = {};
  action.sa_sigaction = tell_of_crash;
  action.sa_flags = static_cast<int>(SA_SIGINFO | SA_ONSTACK | SA_RESETHAND);
  for (Crash& crash : crashes) sigaction(crash.signal, &action, &crash.before);
  guarded = ::getpid();
}

ProcessGuard::~ProcessGuard() {
  guarded = 0;
  for (const Crash& crash : crashes) sigaction(crash.signal, &crash.before, nullptr);
}

void set_last_words(const std::string& text) { last_words = kept_text(text); }

void end_process(int code) noexcept {
  if (guarded != ::getpid()) end_now(code);
  tell("mixwell: error: a plugin ended the process instead of throwing an exception");
  tell_rest();
  end_now(static_cast<int>(ExitCode::failed));
}

}  // namespace mixwell::app
