// The places of components in manifests, and the descriptions of components in messages.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/error.hpp>
#include <mixwell/base/export.hpp>
#include <mixwell/component/component.hpp>

#include <memory>
#include <optional>
#include <string>

namespace mixwell {

/// A kernel without the memory to which its preconditioner is fitted.
struct WithoutMemory {
  std::string path;  ///< path of the kernel, with a slash if another component calls it: "x0/hmc"
  std::string with_history;  ///< a key that the kernel needs with a history: "own = false"
};

/// A manifest that finds the places of its keys and tables.
class Locations {
 public:
  struct Named {
    Location where;
    std::string text;  ///< "kernel.hmc.steps = 5"; for a table or a missing key "[kernel.hmc]"
  };
  virtual ~Locations() = default;
  /// Finds a dotted key ("compositor.main.update[0].kernel"). A default is not written anywhere, so
  /// it has the place of its table. A component that replaces a missing component has the place of
  /// the file.
  virtual Named find(const std::string& dotted) const = 0;
  virtual bool has(const std::string& dotted) const = 0;
  /// The fix that gives such a kernel a memory, as sentences without the last full stop.
  virtual std::string memory_cure(const WithoutMemory&) const {
    return "Use a compositor that provides a memory";
  }
};

struct ComponentLocation {
  std::string path;  ///< "kernel.hmc"
  std::shared_ptr<const Locations> in;
};

/// Registers the component until it is destroyed. `words`: its table in the manifest with its
/// plugin, place and library. All functions here may be called from several threads.
MIXWELL_INTERNAL void introduce(const Component& component, ComponentLocation where,
                                const std::string& words);
void forget(const Component& component) noexcept;
std::optional<ComponentLocation> location_of(const Component& component);

/// The words for a component, or null. They stay valid for ever. May be called in a signal handler.
MIXWELL_INTERNAL const char* words_for(const Component* component) noexcept;
/// Words for an operation of a kernel graph ("hmc/refresh"), which are kept for ever. They name the
/// latest kernel or compositor whose name is in the path. If there is none, they name the library
/// of the class of `body`, which must have virtual functions.
MIXWELL_INTERNAL const char* words_for_operation(const std::string& name, const void* body);

/// The place of `key` of [run] in the manifest of `component`, as "m.toml:4:1: ", or "" if no
/// manifest made it.
std::string place_in_run(const Component& component, const std::string& key);

/// An error with the place of its cause.
class PlacedError final : public InputError {
 public:
  using InputError::InputError;
};

/// Rethrows the exception being handled. An InputError gets the place of `component`. A
/// ParameterError gets the place of its key, which is a key of the component, or else of the
/// manifest ("kernel.parts.update[0].kernel"). Errors that have a place, wiring errors, and errors
/// of components that are not written anywhere stay as they are.
[[noreturn]] void rethrow_placed(const Component& component);

/// Throws InputError about an operation ("hmc/accept") of the graph that `compositor` made. The
/// error has the place of the kernel whose name is in the path, or else the place of the
/// compositor.
[[noreturn]] void refuse_operation(const Component& compositor, const std::string& operation,
                                   const std::string& message);

/// Throws InputError about an estimator without the memory to which it is fitted. The error has the
/// place of the estimator and Locations::memory_cure.
[[noreturn]] void refuse_without_memory(const Component& estimator, const WithoutMemory& kernel,
                                        const std::string& message);

/// Calls `compose`, and passes its exceptions to rethrow_placed.
template <class F>
void composing(const Component& component, F&& compose) {
  try {
    compose();
  } catch (const InputError&) {
    rethrow_placed(component);
  }
}

}  // namespace mixwell
