// Records which plugin code each thread runs, for messages about crashes, exits and exceptions.
// SPDX-License-Identifier: Apache-2.0
#include "base/present_call.hpp"

#include "base/memory_limit.hpp"
#include "base/ranks.hpp"

#include <mixwell/base/error.hpp>

#include <cxxabi.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <new>
#include <set>
#include <typeinfo>

namespace mixwell {
namespace {

/// The largest number of threads that are reported.
constexpr std::size_t most_threads = 1024;
std::array<PresentCall, most_threads> calls;
std::atomic<std::size_t> taken{0};

/// Gives crash handlers a separate stack, because the crash may be an overflow of the thread's
/// stack. The separate stack is never freed, so it outlives the thread.
void give_signal_stack() noexcept {
  constexpr std::size_t bytes = 1 << 16;
  stack_t present = {};
  if (::sigaltstack(nullptr, &present) != 0 || (present.ss_flags & SS_DISABLE) == 0) return;
  void* const memory =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  stack_t own = {};
  own.ss_sp = memory;
  own.ss_size = bytes;
  ::sigaltstack(&own, nullptr);
}

std::string type_of_exception() {
  const std::type_info* const type = abi::__cxa_current_exception_type();
  if (type == nullptr) return "unknown";
  char* const readable = abi::__cxa_demangle(type->name(), nullptr, nullptr, nullptr);
  const std::string name = readable == nullptr ? type->name() : readable;
  std::free(readable);
  return name;
}

}  // namespace

thread_local constinit PresentCall* detail::own_call = nullptr;

PresentCall& detail::take_call() noexcept {
  static thread_local constinit PresentCall untold;
  const std::size_t place = taken.fetch_add(1);
  own_call = place < most_threads ? &calls[place] : &untold;
  give_signal_stack();
  return *own_call;
}

const PresentCall* signalled_call() noexcept { return detail::own_call; }

std::span<const PresentCall> present_calls() noexcept {
  return {calls.data(), std::min(taken.load(), most_threads)};
}

CallMark::CallMark(const char* task, const Component* component) noexcept
    : task_(present_call().task()), component_(present_call().component()) {
  present_call().set_task(task);
  present_call().set_component(component);
}

CallMark::CallMark(const Component& component) noexcept
    : CallMark(present_call().task(), &component) {}

CallMark::~CallMark() {
  present_call().set_task(task_);
  present_call().set_component(component_);
}

const char* kept_text(const std::string& text) {
  static std::mutex mutex;
  static auto& kept = *new std::set<std::string>;
  const std::lock_guard lock(mutex);
  return kept.insert(text).first->c_str();
}

void rethrow_from(const char* where) {
  try {
    throw;
  } catch (const WiringError&) {
    throw;
  } catch (const OtherRankFailed&) {
    throw;  // the code that waits for other ranks handles it
  } catch (const std::bad_alloc&) {
    throw RunError(fmt::format("{}\n  in {}", out_of_memory(), where));
  } catch (const InputError& fault) {
    throw InputError(fmt::format("{}\n  in {}", fault.what(), where));
  } catch (const Error& fault) {
    throw Error(fault.code(), fmt::format("{}\n  in {}", fault.what(), where));
  } catch (const std::exception& fault) {
    throw RunError(
        fmt::format("{}\n  thrown as {} by {}", fault.what(), type_of_exception(), where));
  } catch (...) {
    throw RunError(
        fmt::format("{} threw an exception of type {}, which has no message. Throw an exception "
                    "derived from std::exception, or report this to the author of the component",
                    where, type_of_exception()));
  }
}

}  // namespace mixwell
