// Which plugin's code each thread is in: what a crash, an exit or an exception is told to come
// from.
// SPDX-License-Identifier: Apache-2.0
#include "base/present_call.hpp"

#include "base/memory.hpp"
#include "base/ranks.hpp"

#include <mixwell/error.hpp>

#include <cxxabi.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <new>
#include <set>
#include <string_view>
#include <typeinfo>

namespace mixwell {
namespace {

/// More threads than that are not told of.
constexpr std::size_t most_threads = 1024;
std::array<PresentCall, most_threads> calls;
std::atomic<std::size_t> taken{0};

struct Introduction {
  std::atomic<const Component*> component{nullptr};
  std::atomic<const char*> path{nullptr};
  std::atomic<const char*> words{nullptr};
};
constexpr std::size_t most_introduced = 256;
std::array<Introduction, most_introduced> introductions;

std::mutex& mutex() {
  static std::mutex one;
  return one;
}

/// A handler of crashes has a stack of its own, as the crash may be that of a full stack. It lives
/// as long as the thread may.
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

bool is_made_by(const char* path, std::string_view name) {
  for (const std::string_view kind : {"kernel.", "compositor."}) {
    const std::string_view text(path);
    if (text.starts_with(kind) && text.substr(kind.size()) == name) return true;
  }
  return false;
}

const char* words_for_maker(std::string_view operation) noexcept {
  while (!operation.empty()) {
    const std::string_view name = operation.substr(0, operation.find('/'));
    for (const Introduction& one : introductions) {
      const char* const path = one.path.load();
      if (path != nullptr && is_made_by(path, name)) return one.words.load();
    }
    operation.remove_prefix(std::min(name.size() + 1, operation.size()));
  }
  return nullptr;
}

/// An object of a class with virtual functions begins with the address of their table.
std::string library_of_class(const void* object) {
  Dl_info info = {};
  const bool found = ::dladdr(*static_cast<const void* const*>(object), &info) != 0;
  return found ? info.dli_fname : "an unknown library";
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
  static auto& kept = *new std::set<std::string>;
  const std::lock_guard lock(mutex());
  return kept.insert(text).first->c_str();
}

void introduce(const Component& component, const std::string& path, const std::string& words) {
  static std::size_t next = 0;
  const char* const kept_path = kept_text(path);
  const char* const kept_words = kept_text(words);
  const std::lock_guard lock(mutex());
  Introduction* place = nullptr;
  // An address may be that of a component which is gone, under another path: one place is left.
  for (Introduction& one : introductions) {
    if (one.component.load() != &component && one.path.load() != kept_path) continue;
    one.component = nullptr;
    one.path = nullptr;
    if (place == nullptr) place = &one;
  }
  if (place == nullptr) place = &introductions[next++ % most_introduced];
  place->path = kept_path;
  place->words = kept_words;
  place->component = &component;
}

const char* words_for(const Component* component) noexcept {
  for (const Introduction& one : introductions) {
    if (component != nullptr && one.component.load() == component) return one.words.load();
  }
  return nullptr;
}

const char* words_for_operation(const std::string& name, const void* body) {
  const char* const maker = words_for_maker(name);
  return kept_text(fmt::format("the operation `{}` of {}", name,
                               maker != nullptr ? maker : library_of_class(body)));
}

void rethrow_from(const char* where) {
  try {
    throw;
  } catch (const WiringError&) {
    throw;
  } catch (const OtherRankFailed&) {
    throw;  // whoever waits for the others must know it
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
        fmt::format("an exception of type {}\n  thrown by {}", type_of_exception(), where));
  }
}

}  // namespace mixwell
