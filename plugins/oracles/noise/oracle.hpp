// Oracles whose laws draw fresh noise from a seed in every sweep, each for itself or one for all.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../known_law.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace mixwell::noise {

/// Rows of a noisy law's numbers: the halves of 64 random bits, whole numbers below 2^32.
inline constexpr Index seed_rows = 2;

/// The random numbers of column j of an evaluation. With the same seed and draw they are the same,
/// wherever the law is evaluated.
inline Stream stream_of(const Numbers& numbers, Index j) {
  const double* halves = numbers.column(j);
  const auto high = static_cast<std::uint64_t>(halves[0]);
  const auto low = static_cast<std::uint64_t>(halves[1]);
  return {high << 32U | low, "law"};
}

/// A seed for each column.
struct Seed : edge::Numbers<Role::parameter> {};

/// The law `how` made from `factor`, with a fresh seed in every sweep.
inline Value add_noisy_law(KernelGraph& graph, const std::string& path, Value factor,
                           std::shared_ptr<const Potential> how, const Traits& traits) {
  return add_operation(
             graph, path, OperationKind::pure, traits,
             [](edge::Law, edge::Noise noise, edge::Out<Seed> seed) {
               noise.uniforms(seed);
               seed = (seed.array() * 4294967296.0).floor();
             },
             Edge<edge::Law>{factor}, Edge<edge::Noise>{graph.noise(path)},
             Write<Seed>{Output::derived(path + "/law", seed_rows, std::move(how))})
      .value;
}

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
    const Value law = add(graph, name, factor, graph.potential(factor));
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

}  // namespace mixwell::noise
