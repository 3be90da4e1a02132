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

/// A seed for each column.
struct Seed : edge::Numbers<Role::parameter> {
  using Numbers::Numbers;
};

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

}  // namespace mixwell::noise
