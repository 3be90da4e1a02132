// Where components are written, and errors that say so.
// SPDX-License-Identifier: Apache-2.0
#include "component/places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <mutex>
#include <utility>

namespace mixwell {
namespace {

std::mutex& mutex() {
  static std::mutex one;
  return one;
}

/// Never destroyed: components may be when the program ends.
std::map<const Component*, ComponentPlace>& all() {
  static auto& known = *new std::map<const Component*, ComponentPlace>;
  return known;
}

[[noreturn]] void throw_composing(const std::string& message, const Places::Named& at) {
  throw PlacedError(
      fmt::format("{}\n  while composing {} ({})", message, at.text, to_string(at.where)));
}

/// Of a key of the component; what begins with a kind and a name of the manifest is full already.
std::string full_key(const ComponentPlace& of, const std::string& key) {
  const std::size_t kind = key.find('.');
  const bool is_full =
      kind != std::string::npos && of.in->has(key.substr(0, key.find('.', kind + 1)));
  return is_full ? key : of.path + "." + key;
}

}  // namespace

void set_place(const Component& component, ComponentPlace where) {
  const std::lock_guard lock(mutex());
  all().insert_or_assign(&component, std::move(where));
}

void forget_place(const Component& component) noexcept {
  const std::lock_guard lock(mutex());
  all().erase(&component);
}

std::optional<ComponentPlace> place_of(const Component& component) {
  const std::lock_guard lock(mutex());
  const auto found = all().find(&component);
  if (found == all().end()) return std::nullopt;
  return found->second;
}

void rethrow_placed(const Component& component) {
  const std::optional<ComponentPlace> of = place_of(component);
  if (!of) throw;
  try {
    throw;
  } catch (const WiringError&) {
    throw;
  } catch (const PlacedError&) {
    throw;
  } catch (const ParameterError& fault) {
    const std::string key = full_key(*of, fault.key());
    const Places::Named at = of->in->find(key);
    throw PlacedError(at.where, (of->in->has(key) ? at.text : key) + ": " + fault.rule());
  } catch (const InputError& fault) {
    throw_composing(fault.what(), of->in->find(of->path));
  }
}

std::string place_in_run(const Component& component, const std::string& key) {
  const std::optional<ComponentPlace> of = place_of(component);
  return of ? to_string(of->in->find("run." + key).where) + ": " : "";
}

void refuse_without_memory(const Component& estimator, const WithoutMemory& kernel,
                           const std::string& message) {
  const std::optional<ComponentPlace> of = place_of(estimator);
  if (!of) throw InputError(message + ". Use a compositor that lends a memory");
  throw_composing(message + ". " + of->in->memory_cure(kernel), of->in->find(of->path));
}

void refuse_operation(const Component& compositor, const std::string& operation,
                      const std::string& message) {
  const std::optional<ComponentPlace> of = place_of(compositor);
  if (!of) throw InputError(message);
  std::string path = of->path;
  for (std::size_t from = 0; from < operation.size();) {
    const std::size_t end = std::min(operation.find('/', from), operation.size());
    const std::string kernel = "kernel." + operation.substr(from, end - from);
    if (of->in->has(kernel)) path = kernel;
    from = end + 1;
  }
  throw_composing(message, of->in->find(path));
}

}  // namespace mixwell
