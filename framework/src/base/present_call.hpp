// Records which plugin code each thread runs, for messages about crashes, exits and exceptions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>

#include <atomic>
#include <span>
#include <string>

namespace mixwell {

class Component;

/// The current task and component of one thread, for the thread itself and for signal handlers.
/// Pointers may be null. The pointer to the task stays valid for ever, and the pointer to the
/// component stays valid during the call.
class PresentCall {
 public:
  const char* task() const noexcept { return task_.load(std::memory_order_relaxed); }
  const Component* component() const noexcept { return component_.load(std::memory_order_relaxed); }
  void set_task(const char* task) noexcept { task_.store(task, std::memory_order_relaxed); }
  void set_component(const Component* component) noexcept {
    component_.store(component, std::memory_order_relaxed);
  }

 private:
  std::atomic<const char*> task_{nullptr};
  std::atomic<const Component*> component_{nullptr};
};

namespace detail {

extern thread_local constinit PresentCall* own_call __attribute__((tls_model("initial-exec")));
PresentCall& take_call() noexcept;

}  // namespace detail

/// The call of this thread. It costs two loads, because a transition may take less than a
/// microsecond.
inline PresentCall& present_call() noexcept {
  return detail::own_call != nullptr ? *detail::own_call : detail::take_call();
}

/// The call of this thread, or null if the thread has not made any. May be called in a signal
/// handler.
MIXWELL_INTERNAL const PresentCall* signalled_call() noexcept;
/// The calls of all threads, including ended ones. May be called in a signal handler.
MIXWELL_INTERNAL std::span<const PresentCall> present_calls() noexcept;

/// Marks a task or a component while this object lives, and then restores the earlier mark.
class MIXWELL_INTERNAL CallMark {
 public:
  /// `task` may be null.
  explicit CallMark(const char* task, const Component* component = nullptr) noexcept;
  /// Keeps the current task.
  explicit CallMark(const Component& component) noexcept;
  ~CallMark();
  CallMark(const CallMark&) = delete;
  CallMark& operator=(const CallMark&) = delete;

 private:
  const char* task_;
  const Component* component_;
};

/// A copy of the text that stays valid for ever. Equal texts share one copy.
MIXWELL_INTERNAL const char* kept_text(const std::string& text);

/// Rethrows the exception being handled as an error of Mixwell, with `where` added to the message.
/// An exception that is not an Error becomes a RunError. Wiring errors and OtherRankFailed stay as
/// they are.
[[noreturn]] void rethrow_from(const char* where);

}  // namespace mixwell
