// Moves along an integrator's flow, to a proposal or directly to the next state, and the test for
// divergences.
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

/// Returns the first number that is not finite at the end of column j's trajectory, for the report
/// of a divergence.
inline Event trouble(Index j, double u, ConstBatch g, double energy_error) {
  if (!std::isfinite(u)) return {j, "potential", -1, u};
  for (Index i = 0; g.data() != nullptr && i < g.rows(); ++i) {
    if (!std::isfinite(g(i, j))) return {j, "gradient", i, g(i, j)};
  }
  return {j, "energy error", -1, energy_error};
}

/// Returns the first coordinate of a position that is not finite.
inline Event lost(Index j, ConstBatch theta) {
  for (Index i = 0; i < theta.rows(); ++i) {
    if (!std::isfinite(theta(i, j))) return {j, "position", i, theta(i, j)};
  }
  return {j, "position", -1, 0.0};
}

/// Everything that a trajectory needs: L steps of size eps of theta' = A M^-1 p, p' = -A' grad U,
/// or of an overdamped scheme, which has no momentum.
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
/// sorted, so columns that still move are contiguous and finished columns cost nothing. `u` (1 x w)
/// may be null if nobody needs U at the end. O(w log w + d w) in addition to the steps.
MIXWELL_EXPORT void follow(const Integrator& integrator, PhasePoint point, ConstRowMap steps,
                           const Motion& motion, double* u);

/// Proposes the end of a trajectory. Throws InputError if the site's history needs the points of a
/// path whose length varies.
MIXWELL_EXPORT Proposal propose_along(Transition& t, const FlowMove& flow);

/// Makes the end of a trajectory the next state. There is no Metropolis decision, so the
/// integrator's error stays in the draws. If the end of a column is not finite, the column keeps
/// its old position and counts as a divergence. The momentum of the column is reversed.
MIXWELL_EXPORT void move_along(Transition& t, const FlowMove& flow);

}  // namespace mixwell
