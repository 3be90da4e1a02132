// The only header that a plugin needs: all interfaces of components, and their registration.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/columns.hpp>
#include <mixwell/base/error.hpp>
#include <mixwell/base/export.hpp>
#include <mixwell/base/machine.hpp>
#include <mixwell/base/random.hpp>
#include <mixwell/base/state.hpp>
#include <mixwell/base/types.hpp>
#include <mixwell/base/workspace.hpp>
#include <mixwell/component/component.hpp>
#include <mixwell/component/fields.hpp>
#include <mixwell/compositor.hpp>
#include <mixwell/data/data.hpp>
#include <mixwell/detail/abi.hpp>
#include <mixwell/detail/standard_draws.hpp>
#include <mixwell/estimator.hpp>
#include <mixwell/files/files.hpp>
#include <mixwell/graph/edge.hpp>
#include <mixwell/graph/graph.hpp>
#include <mixwell/graph/operation.hpp>
#include <mixwell/graph/statistic.hpp>
#include <mixwell/integrator.hpp>
#include <mixwell/kernel.hpp>
#include <mixwell/kernel/asymmetric.hpp>
#include <mixwell/kernel/flow.hpp>
#include <mixwell/kernel/learner.hpp>
#include <mixwell/kernel/momentum.hpp>
#include <mixwell/kernel/position.hpp>
#include <mixwell/kernel/step_size.hpp>
#include <mixwell/kernel/transition.hpp>
#include <mixwell/law/by_column.hpp>
#include <mixwell/law/capabilities.hpp>
#include <mixwell/law/conditional_potential.hpp>
#include <mixwell/law/constrained_model.hpp>
#include <mixwell/law/constraint.hpp>
#include <mixwell/law/function.hpp>
#include <mixwell/law/label_predictions.hpp>
#include <mixwell/law/offer.hpp>
#include <mixwell/law/optimum.hpp>
#include <mixwell/law/portions.hpp>
#include <mixwell/law/selection.hpp>
#include <mixwell/law/tempered.hpp>
#include <mixwell/model.hpp>
#include <mixwell/oracle.hpp>
#include <mixwell/recorder.hpp>
#include <mixwell/steps.hpp>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mixwell {

/// The description of a component that `mixwell plugins show` prints.
struct Description {
  std::string id = {};       ///< kebab-case; `use = "..."` in manifests
  std::string summary = {};  ///< one line
  std::string details = {};  ///< formulas and conventions, plain text
  std::vector<std::string> sources = {};
  /// The purpose of the component, if its kind has several: "surrogate" for an estimator that makes
  /// potentials. A component reference accepts only components with the required purpose.
  std::string purpose = {};
  /// Only for compositors. If true, the compositor provides a memory to which the preconditioners
  /// of its slots are fitted. Mixwell then never uses a default estimator that learns in warmup.
  bool provides_memory = false;
  /// Only for compositors that provide a memory: the manifest keys that provide a memory for a
  /// single chain, or "". If an estimator needs a memory and has none, the error suggests these
  /// keys.
  std::string memory_of_one_chain = {};
};

/// A component that is not constructed yet. Mixwell sets its fields, then calls make().
class MIXWELL_EXPORT Blueprint {
 public:
  virtual ~Blueprint();
  /// The manifest keys of the component.
  virtual Fields& fields() noexcept = 0;
  /// Constructs the component, or throws ParameterError or InputError.
  virtual std::shared_ptr<Component> make() = 0;
};

/// A registered component.
struct Entry {
  Kind kind = Kind::model;
  Description description;
  std::string library;  ///< path of the library that contains it
  std::function<std::unique_ptr<Blueprint>()> blueprint;
  /// Empty for kinds whose traits depend on the composition.
  std::vector<std::string> traits;
};

/// Receives the components of a plugin. It is the argument of the plugin's register function.
class MIXWELL_EXPORT Registrar {
 public:
  virtual ~Registrar();
  /// Registers a component. Throws InputError if its id is taken or its declaration is invalid.
  virtual void add(Entry entry) = 0;

  /// Registers the component class T. T needs a nested `Params` with `void declare(Fields&)`, and a
  /// constructor from `const Params&`. It may have `static Traits declared()`.
  template <class T>
  void add(const Description& description);

 private:
  /// `declared` may be null.
  void add(Kind kind, const Description& description, std::unique_ptr<Blueprint> (*blueprint)(),
           const Traits* declared);
};

namespace detail {

/// Takes ownership of a component that was made with `new`.
MIXWELL_EXPORT std::shared_ptr<Component> owned(Component* made);

}  // namespace detail

// Registration runs only once, so this code is kept as small as possible: cold functions are
// optimised for size, and everything that does not depend on T is in the library. This reduces the
// compile time of a small plugin by a quarter.
template <class T>
class BlueprintOf final : public Blueprint {
 public:
  [[gnu::cold]] BlueprintOf() { params_.declare(fields_); }
  Fields& fields() noexcept override { return fields_; }
  [[gnu::cold]] std::shared_ptr<Component> make() override {
    if constexpr (requires { params_.settle(); }) params_.settle();
    return detail::owned(new T(params_));
  }
  [[gnu::cold]] static std::unique_ptr<Blueprint> fresh() {
    return std::unique_ptr<Blueprint>(new BlueprintOf);
  }

 private:
  typename T::Params params_;
  Fields fields_;
};

template <class T>
void Registrar::add(const Description& description) {
  if constexpr (requires { T::declared(); }) {
    const Traits declared = T::declared();
    add(T::kind, description, &BlueprintOf<T>::fresh, &declared);
  } else {
    add(T::kind, description, &BlueprintOf<T>::fresh, nullptr);
  }
}

}  // namespace mixwell

/// Defines the two symbols of a plugin, and begins a function with the argument
/// `::mixwell::Registrar& registrar`. Write the body of this function after the macro:
///   MIXWELL_PLUGIN(registrar) { registrar.add<MyModel>({.id = "my-model", .summary = "..."}); }
#define MIXWELL_PLUGIN(registrar)                                                                 \
  extern "C" MIXWELL_EXPORT __attribute__((section(MIXWELL_ABI_SECTION_), used))                  \
  const char mixwell_abi_tag[] = MIXWELL_ABI_TAG;                                                 \
  extern "C" [[gnu::cold]] MIXWELL_EXPORT void mixwell_register(::mixwell::Registrar& registrar); \
  void mixwell_register(::mixwell::Registrar& registrar)
