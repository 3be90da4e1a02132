// The places of components in manifests, and the descriptions of components in messages.
// SPDX-License-Identifier: Apache-2.0
#include "component/locations.hpp"

#include "base/present_call.hpp"
#include "base/split.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string_view>
#include <utility>

namespace mixwell {
namespace {

/// An entry for one component; null if the component is gone and the entry is free. Entries are
/// never destroyed, because components may still exist when the program ends, and signal handlers
/// read entries.
struct Introduction {
  std::atomic<const Component*> component{nullptr};
  std::atomic<const char*> words{nullptr};
  ComponentLocation where{};  ///< needs the mutex
  std::uint64_t number = 0;   ///< number of earlier components; needs the mutex
  Introduction* next = nullptr;
};
constinit std::atomic<Introduction*> introductions{nullptr};

std::mutex& mutex() {
  static std::mutex one;
  return one;
}

Introduction* find(const Component* component) noexcept {
  Introduction* one = introductions.load();
  while (one != nullptr && one->component.load() != component) one = one->next;
  return one;
}

/// The words for the latest component with this path, or null.
const char* words_at(const std::string& path) {
  const std::lock_guard lock(mutex());
  const Introduction* latest = nullptr;
  for (const Introduction* one = introductions.load(); one != nullptr; one = one->next) {
    if (one->component.load() == nullptr || one->where.path != path) continue;
    if (latest == nullptr || latest->number < one->number) latest = one;
  }
  return latest == nullptr ? nullptr : latest->words.load();
}

const char* words_for_maker(const std::string& operation) {
  for (const std::string_view name : split(operation, '/')) {
    for (const std::string_view kind : {"kernel", "compositor"}) {
      if (const char* const words = words_at(fmt::format("{}.{}", kind, name))) return words;
    }
  }
  return nullptr;
}

/// An object of a class with virtual functions begins with the address of their table.
std::string library_of_class(const void* object) {
  Dl_info info = {};
  const bool found = ::dladdr(*static_cast<const void* const*>(object), &info) != 0;
  return found ? info.dli_fname : "an unknown library";
}

[[noreturn]] void throw_composing(const std::string& message, const Locations::Named& at) {
  throw PlacedError(
      fmt::format("{}\n  while composing {} ({})", message, at.text, to_string(at.where)));
}

/// The full name of a key of the component. A key that begins with a kind and a name of the
/// manifest is full already.
std::string full_key(const ComponentLocation& of, const std::string& key) {
  const std::size_t kind = key.find('.');
  const bool is_full =
      kind != std::string::npos && of.in->has(key.substr(0, key.find('.', kind + 1)));
  return is_full ? key : of.path + "." + key;
}

}  // namespace

void introduce(const Component& component, ComponentLocation where, const std::string& words) {
  static std::uint64_t count = 0;
  const char* const kept_words = kept_text(words);
  const std::lock_guard lock(mutex());
  Introduction* one = find(&component);
  if (one == nullptr) one = find(nullptr);
  if (one == nullptr) {
    one = new Introduction;
    one->next = introductions.load();
    introductions = one;
  }
  one->where = std::move(where);
  one->number = count++;
  one->words = kept_words;
  one->component = &component;
}

void forget(const Component& component) noexcept {
  const std::lock_guard lock(mutex());
  Introduction* const one = find(&component);
  if (one == nullptr) return;
  one->component = nullptr;
  one->where = {};
}

std::optional<ComponentLocation> location_of(const Component& component) {
  const std::lock_guard lock(mutex());
  const Introduction* const one = find(&component);
  if (one == nullptr) return std::nullopt;
  return one->where;
}

const char* words_for(const Component* component) noexcept {
  const Introduction* const one = component == nullptr ? nullptr : find(component);
  return one == nullptr ? nullptr : one->words.load();
}

const char* words_for_operation(const std::string& name, const void* body) {
  const char* const maker = words_for_maker(name);
  return kept_text(fmt::format("the operation `{}` of {}", name,
                               maker != nullptr ? maker : library_of_class(body)));
}

void rethrow_placed(const Component& component) {
  const std::optional<ComponentLocation> of = location_of(component);
  if (!of) throw;
  try {
    throw;
  } catch (const WiringError&) {
    throw;
  } catch (const PlacedError&) {
    throw;
  } catch (const ParameterError& fault) {
    const std::string key = full_key(*of, fault.key());
    const Locations::Named at = of->in->find(key);
    throw PlacedError(at.where, (of->in->has(key) ? at.text : key) + ": " + fault.rule());
  } catch (const InputError& fault) {
    throw_composing(fault.what(), of->in->find(of->path));
  }
}

std::string place_in_run(const Component& component, const std::string& key) {
  const std::optional<ComponentLocation> of = location_of(component);
  return of ? to_string(of->in->find("run." + key).where) + ": " : "";
}

void refuse_without_memory(const Component& estimator, const WithoutMemory& kernel,
                           const std::string& message) {
  const std::optional<ComponentLocation> of = location_of(estimator);
  if (!of) throw InputError(message + ". Use a compositor that provides a memory");
  throw_composing(message + ". " + of->in->memory_cure(kernel), of->in->find(of->path));
}

void refuse_operation(const Component& compositor, const std::string& operation,
                      const std::string& message) {
  const std::optional<ComponentLocation> of = location_of(compositor);
  if (!of) throw InputError(message);
  std::string path = of->path;
  for (const std::string_view name : split(operation, '/')) {
    const std::string kernel = fmt::format("kernel.{}", name);
    if (of->in->has(kernel)) path = kernel;
  }
  throw_composing(message, of->in->find(path));
}

}  // namespace mixwell
