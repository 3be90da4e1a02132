// When a trajectory has left the sampler behind.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/graph.hpp>
#include <mixwell/types.hpp>

#include <cmath>

namespace mixwell {

/// Energy errors beyond this, in nats, count as divergences, as in Stan.
inline constexpr double divergent_energy = 1000.0;

inline bool is_divergent(double energy_error) noexcept {
  return !(energy_error <= divergent_energy) || !std::isfinite(energy_error);
}

/// The first thing that is not finite at the end of a trajectory of column j.
inline Event trouble(Index j, double u, ConstBatch g, double energy_error) {
  if (!std::isfinite(u)) return {j, "potential", -1, u};
  for (Index i = 0; g.data() != nullptr && i < g.rows(); ++i) {
    if (!std::isfinite(g(i, j))) return {j, "gradient", i, g(i, j)};
  }
  return {j, "energy error", -1, energy_error};
}

/// The first coordinate that is not finite of a position.
inline Event lost(Index j, ConstBatch theta) {
  for (Index i = 0; i < theta.rows(); ++i) {
    if (!std::isfinite(theta(i, j))) return {j, "position", i, theta(i, j)};
  }
  return {j, "position", -1, 0.0};
}

}  // namespace mixwell
