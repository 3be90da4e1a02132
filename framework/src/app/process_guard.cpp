// The program's exit code is its own: what happens when code of a plugin crashes or ends the
// process.
// SPDX-License-Identifier: Apache-2.0
#include "app/process_guard.hpp"

#include "app/call_words.hpp"
#include "base/present_call.hpp"

#include <mixwell/error.hpp>

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>

namespace mixwell::app {
namespace {

constexpr std::array<int, 5> crashes = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
std::array<struct sigaction, crashes.size()> before;

/// The process that is guarded; none of its children is.
std::atomic<pid_t> guarded{0};
std::atomic<const char*> last_words{nullptr};

/// Whatever stands in the way: functions to be called at the exit, other threads.
[[noreturn]] void end_now(int code) noexcept {
  ::syscall(SYS_exit_group, code);
  __builtin_unreachable();
}

void tell_rest() noexcept {
  if (const PresentCall* const call = signalled_call()) tell_of(*call);
  tell("\n");
  if (const char* const words = last_words) tell(words);
}

const char* name_of(int signal) noexcept {
  switch (signal) {
    case SIGSEGV:
      return "segmentation fault (SIGSEGV)";
    case SIGBUS:
      return "bus error (SIGBUS)";
    case SIGFPE:
      return "arithmetic error (SIGFPE)";
    case SIGILL:
      return "illegal instruction (SIGILL)";
    default:
      return "aborted (SIGABRT)";
  }
}

/// Only writes. A sanitizer that listened before has its say after it.
void tell_of_crash(int signal, siginfo_t* info, void* context) {
  tell("mixwell: error: the process crashed: ");
  tell(name_of(signal));
  tell_rest();
  for (std::size_t k = 0; k < crashes.size(); ++k) {
    if (crashes[k] == signal && (before[k].sa_flags & SA_SIGINFO) != 0)
      before[k].sa_sigaction(signal, info, context);
  }
  end_now(static_cast<int>(ExitCode::failed));
}

void refuse_exit(int code, void*) {
  if (guarded == ::getpid()) end_process(code);
}

void refuse_quick_exit() { refuse_exit(EXIT_SUCCESS, nullptr); }

/// Called after what plugins leave to be called at the exit, and before what libraries do.
void listen_to_exits() {
  static const bool listens = [] {
    ::on_exit(refuse_exit, nullptr);
    std::at_quick_exit(refuse_quick_exit);
    return true;
  }();
  static_cast<void>(listens);
}

}  // namespace

ProcessGuard::ProcessGuard() {
  const CallMark first(nullptr);  // which gives this thread a stack for signals
  listen_to_exits();
  struct sigaction action = {};
  action.sa_sigaction = tell_of_crash;
  action.sa_flags = static_cast<int>(SA_SIGINFO | SA_ONSTACK | SA_RESETHAND);
  for (std::size_t k = 0; k < crashes.size(); ++k) sigaction(crashes[k], &action, &before[k]);
  guarded = ::getpid();
}

ProcessGuard::~ProcessGuard() {
  guarded = 0;
  for (std::size_t k = 0; k < crashes.size(); ++k) sigaction(crashes[k], &before[k], nullptr);
}

void set_last_words(const std::string& text) { last_words = kept_text(text); }

void end_process(int code) noexcept {
  if (guarded != ::getpid()) end_now(code);
  tell("mixwell: error: a plugin ended the process");
  tell_rest();
  end_now(static_cast<int>(ExitCode::failed));
}

}  // namespace mixwell::app
