// Oracles with new noise in every sweep, either separate for each use of the oracle or shared.
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

/// Number of rows of a noisy law's numbers. The numbers are the two halves of 64 random bits, as
/// whole numbers below 2^32.
inline constexpr Index seed_rows = 2;

/// The random numbers of column j of an evaluation. They depend only on the seed and the draw, not
/// on the position at which the law is evaluated.
inline Stream stream_of(const Numbers& numbers, Index j) {
  const double* halves = numbers.column(j);
  const auto high = static_cast<std::uint64_t>(halves[0]);
  const auto low = static_cast<std::uint64_t>(halves[1]);
  return {high << 32U | low, "law"};
}

/// One seed for each column.
struct Seed : edge::Numbers<Role::parameter> {};

/// Adds the law `how`, made from `factor`, with a new seed in every sweep.
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

/// Declares key `shared` of a noisy oracle.
inline void declare_shared(Fields& fields, bool& shared) {
  fields.flag("shared", shared)
      .help("share the noise (minibatch) of a sweep among all kernels and slots with this oracle");
}

/// An oracle whose law changes in every sweep. Each path has its own law, or all paths share one
/// law.
class ChangingOracle : public Oracle {
 public:
  /// A law with its own noise under `path`; a second call with the same path returns the same law.
  /// If the oracle is shared, every path gets the one law that this oracle makes from `factor`.
  Value law(KernelGraph& graph, const std::string& path, Value factor) const final {
    const std::string name =
        (shared_ ? "oracle" : path) + "/" + this->name() + "/" + graph[factor].name;
    if (const Value known = known_law(graph, name, factor)) return known;
    if (graph[factor].rows > 0) {
      throw InputError(
          "oracle `" + this->name() + "` adds noise to a model's own target density, but `" +
          graph[factor].name +
          "` also depends on other variables of the sampler. Use oracle `exact` instead.");
    }
    // The next operation with this law may belong to another branch, so the noise is drawn in every
    // column.
    const Guard branch = graph.set_guard();
    const Value law = add(graph, name, factor, graph.potential(factor));
    graph.set_guard(branch);
    return law;
  }

 protected:
  explicit ChangingOracle(bool shared) : shared_(shared) {}
  /// Adds an operation `name` whose value is the law made from `base`. `base` is the potential of
  /// `factor`, or null. Throws InputError if the oracle cannot make a law from it.
  virtual Value add(KernelGraph& graph, const std::string& name, Value factor,
                    std::shared_ptr<const Potential> base) const = 0;

 private:
  bool shared_;
};

}  // namespace mixwell::noise
