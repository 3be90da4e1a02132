// Laws whose noise is a function of a seed: the numbers of a value of the graph.
// SPDX-License-Identifier: Apache-2.0
#pragma once

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

/// Inputs: a law, noise. Output: a seed for each column.
class SeedBody final : public Body {
 public:
  void run(Block& block) const override {
    MatrixMap seed = block.out(0);
    block.uniforms(1, seed);
    seed = (seed.array() * 4294967296.0).floor();
  }
};

/// The law `how` made from `factor`, with a fresh seed in every sweep.
inline Value add_noisy_law(KernelGraph& graph, const std::string& path, Value factor,
                           std::shared_ptr<const Potential> how, bool exact_potential) {
  Traits traits;
  traits.unbiased = true;
  traits.exact_potential = exact_potential;
  return graph
      .add(path, OperationKind::pure, traits,
           {{factor, Role::law}, {graph.noise(path), Role::noise}},
           {Output::derived(path + "/law", seed_rows, std::move(how))},
           std::make_shared<SeedBody>())
      .front();
}

}  // namespace mixwell::noise
