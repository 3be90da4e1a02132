// Metropolis by an estimate of the density.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/estimated_density.hpp>
#include <mixwell/transition.hpp>

#include <optional>

namespace mixwell {

/// The only estimate by which a law of the graph is known, or null.
const EstimatedDensity* estimate_of(const KernelGraph& graph, Value law);

/// What is kept of the estimate where a slot is, if anything is: Uhat in its first row, 2 x w.
std::optional<Value> kept_estimate(const KernelGraph& graph, Variable slot);

/// The decision of a transition whose law is known only by an estimate. To the graph the normals z
/// of the estimate are a variable beside theta, and the joint law is exp(-Uhat(theta; z)) N(z; 0,
/// I), whose marginal of theta is that of the model:
///   z* = rho z + sqrt(1 - rho^2) z' is reversible for N(0, I), whatever theta does;
///   (theta*, z*) is taken with probability min(1, exp(Uhat(theta; z) - Uhat(theta*; z*))).
/// So z stays with theta, and Uhat(theta; z) is kept with both: it is evaluated once in a run.
/// Sources: Andrieu & Roberts 2009, Ann. Stat. 37; Deligiannidis, Doucet & Pitt 2018, J. R.
/// Stat. Soc. B 80 (rho). One estimate and 2 m copies a transition, m the number of normals.
void decide_by_estimate(Transition& t, Edge<edge::Law> law, const Proposal& proposal,
                        const EstimateSettings& settings);

}  // namespace mixwell
