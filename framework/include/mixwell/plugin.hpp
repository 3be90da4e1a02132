// The one header a plugin needs: all that components are made of, and their registration.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/abi.hpp>
#include <mixwell/acts_for.hpp>
#include <mixwell/asymmetric.hpp>
#include <mixwell/block_potential.hpp>
#include <mixwell/cache.hpp>
#include <mixwell/cells.hpp>
#include <mixwell/columns.hpp>
#include <mixwell/component.hpp>
#include <mixwell/conditional.hpp>
#include <mixwell/constrained_model.hpp>
#include <mixwell/constraint.hpp>
#include <mixwell/constraint_map.hpp>
#include <mixwell/data.hpp>
#include <mixwell/divergence.hpp>
#include <mixwell/divided_rows.hpp>
#include <mixwell/durable.hpp>
#include <mixwell/edge.hpp>
#include <mixwell/error.hpp>
#include <mixwell/estimated_density.hpp>
#include <mixwell/estimator.hpp>
#include <mixwell/export.hpp>
#include <mixwell/fields.hpp>
#include <mixwell/flow.hpp>
#include <mixwell/foreign_code.hpp>
#include <mixwell/function.hpp>
#include <mixwell/gaussian_prior.hpp>
#include <mixwell/graph.hpp>
#include <mixwell/hessian_products.hpp>
#include <mixwell/independent_elements.hpp>
#include <mixwell/integrator.hpp>
#include <mixwell/kernel.hpp>
#include <mixwell/learner.hpp>
#include <mixwell/marginal.hpp>
#include <mixwell/memory.hpp>
#include <mixwell/memory_fit.hpp>
#include <mixwell/model.hpp>
#include <mixwell/momentum.hpp>
#include <mixwell/next_state.hpp>
#include <mixwell/offer.hpp>
#include <mixwell/operation.hpp>
#include <mixwell/optimum.hpp>
#include <mixwell/oracle.hpp>
#include <mixwell/parallel.hpp>
#include <mixwell/portions.hpp>
#include <mixwell/position.hpp>
#include <mixwell/random.hpp>
#include <mixwell/recorder.hpp>
#include <mixwell/recursive_curvature.hpp>
#include <mixwell/selection.hpp>
#include <mixwell/standard_draws.hpp>
#include <mixwell/state.hpp>
#include <mixwell/statistic.hpp>
#include <mixwell/step_schedule.hpp>
#include <mixwell/step_size.hpp>
#include <mixwell/steps.hpp>
#include <mixwell/tempered.hpp>
#include <mixwell/text_lines.hpp>
#include <mixwell/transition.hpp>
#include <mixwell/types.hpp>
#include <mixwell/workspace.hpp>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mixwell {

/// What `mixwell plugins show` prints about a component.
struct Description {
  std::string id = {};       ///< kebab-case; `use = "..."` in manifests
  std::string summary = {};  ///< one line
  std::string details = {};  ///< formulas and conventions, plain text
  std::vector<std::string> sources = {};
  /// What it is for where its kind serves several ends: "surrogate" for an estimator of potentials.
  /// References take only components of their own purpose.
  std::string purpose = {};
  /// Of a compositor: its slots' curvatures are fitted to a memory that it lends them, and no
  /// learning estimator stands in where the manifest names none.
  bool lends_memory = false;
  /// Of a compositor that lends a memory: the keys that do so for a single chain, if there are any.
  /// They end the error about an estimator that has no memory.
  std::string memory_of_one_chain = {};
};

/// Parameters of one component about to be made: its fields, then the component.
class MIXWELL_EXPORT Blueprint {
 public:
  virtual ~Blueprint();
  virtual Fields& fields() noexcept = 0;
  /// Throws ParameterError or InputError.
  virtual std::shared_ptr<Component> make() = 0;
};

/// A registered component.
struct Entry {
  Kind kind = Kind::model;
  Description description;
  std::string library;  ///< file it came from
  std::function<std::unique_ptr<Blueprint>()> blueprint;
  /// Empty for kinds whose traits depend on the composition.
  std::vector<std::string> traits;
};

/// Handed to a plugin's register function.
class MIXWELL_EXPORT Registrar {
 public:
  virtual ~Registrar();
  virtual void add(Entry entry) = 0;

  /// T has a nested `Params` with `void declare(Fields&)` and a constructor from `const Params&`;
  /// optionally `static Traits declared()`.
  template <class T>
  void add(const Description& description);

 private:
  /// `declared` may be null.
  void add(Kind kind, const Description& description, std::unique_ptr<Blueprint> (*blueprint)(),
           const Traits* declared);
};

namespace detail {

/// Owns a component that was made with `new`.
MIXWELL_EXPORT std::shared_ptr<Component> owned(Component* made);

}  // namespace detail

// Registering runs once. What it needs is compiled here as small as may be: cold functions are
// optimised for size, and what does not depend on T is in the library. A plugin that does little
// else compiles in three quarters of the time.
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

/// Defines the two symbols of a plugin. Followed by the body of a function with the argument
/// `::mixwell::Registrar& registrar`:
///   MIXWELL_PLUGIN(registrar) { registrar.add<MyModel>({.id = "my-model", .summary = "..."}); }
#define MIXWELL_PLUGIN(registrar)                                                                 \
  extern "C" MIXWELL_EXPORT __attribute__((section(".mixwell_abi"), used))                        \
  const char mixwell_abi_tag[] = MIXWELL_ABI_TAG;                                                 \
  extern "C" [[gnu::cold]] MIXWELL_EXPORT void mixwell_register(::mixwell::Registrar& registrar); \
  void mixwell_register(::mixwell::Registrar& registrar)
