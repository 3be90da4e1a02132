// Which components manifests have made: where each is written, and the words for it in messages.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/error.hpp>
#include <mixwell/base/export.hpp>
#include <mixwell/component/component.hpp>

#include <memory>
#include <optional>
#include <string>

namespace mixwell {

/// A kernel without the memory that its curvature is fitted to.
struct WithoutMemory {
  std::string path;          ///< of the kernel: "x0/hmc"; with a slash where others call it
  std::string with_history;  ///< a key that it needs where the memory is a history: "own = false"
};

/// What says where things are written: a manifest.
class Places {
 public:
  struct Named {
    Location where;
    std::string text;  ///< "kernel.hmc.steps = 5"; of a table, or where it has none, "[kernel.hmc]"
  };
  virtual ~Places() = default;
  /// Of a dotted key ("compositor.main.update[0].kernel"). A default is written nowhere: it has the
  /// place of its table, and a component that stands in for what was left out that of the file.
  virtual Named find(const std::string& dotted) const = 0;
  virtual bool has(const std::string& dotted) const = 0;
  /// How such a kernel gets a memory, in sentences without the last full stop.
  virtual std::string memory_cure(const WithoutMemory&) const {
    return "Use a compositor that lends a memory";
  }
};

struct ComponentPlace {
  std::string path;  ///< "kernel.hmc"
  std::shared_ptr<const Places> in;
};

/// Known until the component is destroyed. `words`: its table in the manifest with its plugin,
/// place and library. All of these may be called from several threads.
MIXWELL_INTERNAL void introduce(const Component& component, ComponentPlace where,
                                const std::string& words);
void forget(const Component& component) noexcept;
std::optional<ComponentPlace> place_of(const Component& component);

/// The words for it, or null. They stay valid for ever. May be called in a signal handler.
MIXWELL_INTERNAL const char* words_for(const Component* component) noexcept;
/// Kept words for an operation of a kernel graph ("hmc/refresh"): those of the kernel or compositor
/// whose name is in its path, the latest of that name, or the library of the class of `body`, which
/// has virtual functions.
MIXWELL_INTERNAL const char* words_for_operation(const std::string& name, const void* body);

/// Where `key` of [run] is written, as "m.toml:4:1: ", in the manifest that `component` is from; ""
/// where it is from none.
std::string place_in_run(const Component& component, const std::string& key);

/// An error that says where what it is about is written.
class PlacedError final : public InputError {
 public:
  using InputError::InputError;
};

/// Throws the exception being handled again, an InputError with the place of `component`: of a
/// ParameterError that of its key, which is one of the component or, if it is none, one of the
/// manifest ("kernel.parts.update[0].kernel"). What has a place already, broken wiring, and errors
/// of a component that is written nowhere stay as they are.
[[noreturn]] void rethrow_placed(const Component& component);

/// Throws InputError about an operation of the graph that `compositor` made ("hmc/accept"), with
/// the place of the kernel whose name is in its path, else of the compositor.
[[noreturn]] void refuse_operation(const Component& compositor, const std::string& operation,
                                   const std::string& message);

/// Throws InputError about an estimator without the memory that it is fitted to, with its place and
/// Places::memory_cure.
[[noreturn]] void refuse_without_memory(const Component& estimator, const WithoutMemory& kernel,
                                        const std::string& message);

/// Calls `compose`, with rethrow_placed for what it refuses.
template <class F>
void composing(const Component& component, F&& compose) {
  try {
    compose();
  } catch (const InputError&) {
    rethrow_placed(component);
  }
}

}  // namespace mixwell
