// Which plugin's code each thread is in: what a crash, an exit or an exception is told to come
// from.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>

#include <atomic>
#include <span>
#include <string>

namespace mixwell {

class Component;

/// What one thread is doing, for itself and for signal handlers. Pointers that are null, or stay
/// valid for ever (task), or as long as the call (component).
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

/// That of this thread, two loads away: a transition may take less than a microsecond.
inline PresentCall& present_call() noexcept {
  return detail::own_call != nullptr ? *detail::own_call : detail::take_call();
}

/// That of this thread, or null if it never had one. May be called in a signal handler.
MIXWELL_INTERNAL const PresentCall* signalled_call() noexcept;
/// Those of all threads, ended ones too. May be called in a signal handler.
MIXWELL_INTERNAL std::span<const PresentCall> present_calls() noexcept;

/// A task, or a component, for as long as it lives; then what was before.
class MIXWELL_INTERNAL CallMark {
 public:
  /// `task` may be null.
  explicit CallMark(const char* task, const Component* component = nullptr) noexcept;
  /// Within the present task.
  explicit CallMark(const Component& component) noexcept;
  ~CallMark();
  CallMark(const CallMark&) = delete;
  CallMark& operator=(const CallMark&) = delete;

 private:
  const char* task_;
  const Component* component_;
};

/// The same text at a place that stays valid for ever; equal texts are kept once.
MIXWELL_INTERNAL const char* kept_text(const std::string& text);

/// Throws the exception being handled again, as one of Mixwell's that says where it came from: what
/// is no Error as a RunError. Lack of memory and broken wiring say enough themselves.
[[noreturn]] void rethrow_from(const char* where);

}  // namespace mixwell
