// Moves along an integrator's flow: to a proposal, or without Metropolis to the next state; when a
// trajectory has left the sampler behind.
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

/// What a trajectory is made from: L steps of eps of theta' = A M^-1 p, p' = -A' grad U, or of an
/// overdamped scheme, which has no momentum.
struct FlowMove {
  std::shared_ptr<const Integrator> integrator;
  Coupling coupling = Coupling::none;
  Edge<edge::Law> law;
  Edge<edge::Curvature> H;
  Edge<edge::StepSize> eps;
  Edge<edge::StepCount> steps;
  std::optional<PhaseMomentum> momentum{};
  Redraw redraw{};  ///< of the momentum
  /// L where it is the same in every transition, else 0. A single step goes as far as eps lets it.
  std::int64_t fixed_steps = 0;
};

/// Follows the flow for a block whose columns may want different numbers of steps: columns are
/// sorted so that those still moving stay together, and finished ones cost nothing. `u` (1 x w) may
/// be null where nobody wants U of the end. O(w log w + d w) beside the steps.
MIXWELL_EXPORT void follow(const Integrator& integrator, PhasePoint point, ConstRowMap steps,
                           const Motion& motion, double* u);

/// The end of a trajectory as a proposal. Throws InputError where the site's history wants points
/// of a way whose length varies.
MIXWELL_EXPORT Proposal propose_along(Transition& t, const FlowMove& flow);

/// The end of a trajectory as the next state: whatever the integrator's error is stays in the
/// draws. A column whose end is not finite stays where it was, as a divergence: there is no state
/// to continue from; it leaves again with the momentum reversed.
MIXWELL_EXPORT void move_along(Transition& t, const FlowMove& flow);

}  // namespace mixwell
