// Oracles whose laws draw fresh noise in every sweep, each for itself or one for all.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../known_law.hpp"
#include "seed.hpp"

#include <mixwell/plugin.hpp>

#include <memory>
#include <string>
#include <utility>

namespace mixwell::noise {

/// Key `shared` of such an oracle.
inline void declare_shared(Fields& fields, bool& shared) {
  fields.flag("shared", shared)
      .help(
          "one noise in a sweep for all laws that this oracle makes from one factor: kernels and "
          "slots that use it see the same minibatch wherever they ask for the same draw");
}

/// Another law in every sweep, for each who asks or for all of them.
class ChangingOracle : public Oracle {
 public:
  /// A law with a noise of its own under `path`: who asks again with the same path gets the same.
  /// Where it is shared, the one law of this oracle and `factor` in the graph.
  Value law(KernelGraph& graph, const std::string& path, Value factor) const final {
    const std::string name =
        (shared_ ? "oracle" : path) + "/" + this->name() + "/" + graph[factor].name;
    if (const Value known = known_law(graph, name, factor)) return known;
    if (graph[factor].rows > 0) {
      throw InputError("oracle `" + this->name() + "` adds noise to a model's own law, and `" +
                       graph[factor].name +
                       "` is one that follows the state; use oracle `exact` there");
    }
    // Whoever asks next may belong to another branch: drawn in every column.
    const Guard branch = graph.set_guard();
    const Value law = add(graph, name, factor,
                          std::dynamic_pointer_cast<const Potential>(graph[factor].function));
    graph.set_guard(branch);
    return law;
  }

 protected:
  explicit ChangingOracle(bool shared) : shared_(shared) {}
  /// An operation `name` whose value is the law made from `base`, that of `factor`, or null. Throws
  /// InputError where there can be none.
  virtual Value add(KernelGraph& graph, const std::string& name, Value factor,
                    std::shared_ptr<const Potential> base) const = 0;

 private:
  bool shared_;
};

/// With noise that is right in the mean.
class NoisyOracle : public ChangingOracle {
 protected:
  using ChangingOracle::ChangingOracle;
  /// `base` with noise that is a function of a seed. Throws InputError where it cannot have any.
  virtual std::shared_ptr<const Potential> make(std::shared_ptr<const Potential> base) const = 0;
  /// Traits::exact_potential of what `make` makes.
  virtual bool has_exact_potential() const noexcept { return false; }

 private:
  Value add(KernelGraph& graph, const std::string& name, Value factor,
            std::shared_ptr<const Potential> base) const final {
    Traits traits;
    traits.unbiased = true;
    traits.exact_potential = has_exact_potential();
    return add_noisy_law(graph, name, factor, make(std::move(base)), traits);
  }
};

}  // namespace mixwell::noise
