// Operations that move a slot along an integrator's flow, and the test for divergences.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/types.hpp>
#include <mixwell/graph/edge.hpp>
#include <mixwell/graph/graph.hpp>
#include <mixwell/integrator.hpp>
#include <mixwell/kernel/transition.hpp>

#include <cmath>
#include <memory>
#include <optional>

namespace mixwell {

/// Energy errors above this limit, in nats, count as divergences, as in Stan.
inline constexpr double divergent_energy = 1000.0;

inline bool is_divergent(double energy_error) noexcept {
  return !(energy_error <= divergent_energy) || !std::isfinite(energy_error);
}

/// Returns the event of a divergence in column j. It reports the first non-finite number at the end
/// of the trajectory or, if all are finite, the energy error.
inline Event trouble(Index j, double u, ConstBatch g, double energy_error) {
  if (!std::isfinite(u)) return {j, "potential", -1, u};
  for (Index i = 0; g.data() != nullptr && i < g.rows(); ++i) {
    if (!std::isfinite(g(i, j))) return {j, "gradient", i, g(i, j)};
  }
  return {j, "energy error", -1, energy_error};
}

/// Returns the event for the first non-finite coordinate in column j of theta.
inline Event lost(Index j, ConstBatch theta) {
  for (Index i = 0; i < theta.rows(); ++i) {
    if (!std::isfinite(theta(i, j))) return {j, "position", i, theta(i, j)};
  }
  return {j, "position", -1, 0.0};
}

/// Everything that a trajectory needs. The L steps of size eps follow either an overdamped scheme,
/// which has no momentum, or the flow theta' = A M^-1 p, p' = -A' grad U.
struct FlowMove {
  std::shared_ptr<const Integrator> integrator;
  Coupling coupling = Coupling::none;
  Edge<edge::Law> law;
  Edge<edge::Preconditioner> H;
  Edge<edge::StepSize> eps;
  Edge<edge::StepCount> steps;
  std::optional<PhaseMomentum> momentum{};
  Redraw redraw{};  ///< redraw of the momentum
  /// L if it is the same in every transition, otherwise 0. If L = 1, the move is declared `local`,
  /// because the displacement of a single step vanishes with eps.
  std::int64_t fixed_steps = 0;
};

/// Follows the flow for a block whose columns may need different numbers of steps. The columns are
/// sorted by number of steps, so columns that still move are contiguous and finished columns cost
/// nothing. Sorting costs an additional O(w log w + d w). `u` (1 x w) may be null if the caller
/// does not need U at the end of the trajectories.
MIXWELL_EXPORT void follow(const Integrator& integrator, PhasePoint point, ConstRowMap steps,
                           const Motion& motion, double* u);

/// Proposes the end of a trajectory. Throws InputError if the site's history needs the points of a
/// path whose length varies.
MIXWELL_EXPORT Proposal propose_along(Transition& t, const FlowMove& flow);

/// Makes the end of a trajectory the next state. There is no Metropolis decision, so the
/// integrator's error stays in the draws. If the end of a trajectory is not finite, its column
/// keeps the old position, and the momentum is reversed. This counts as a divergence.
MIXWELL_EXPORT void move_along(Transition& t, const FlowMove& flow);

}  // namespace mixwell
