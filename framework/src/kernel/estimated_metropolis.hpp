// Metropolis by an estimate of the density, and what auxiliary variables add to the energy.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/kernel/transition.hpp>
#include <mixwell/law/capabilities.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace mixwell {

/// The edges of a decision that are of auxiliary variables, in the order of the proposal's.
struct AuxiliaryEdges {
  AuxiliaryEdges(const KernelGraph& graph, const std::vector<ProposedAuxiliary>& auxiliaries);

  std::vector<Edge<edge::Auxiliary>> from{};
  std::vector<Edge<edge::Proposed<edge::Auxiliary>>> to{};
  std::vector<Edge<edge::AuxiliaryLaw<edge::Here>>> laws{};
  std::vector<Edge<edge::AuxiliaryLaw<edge::There>>> laws_at_proposal{};
};

class AuxiliaryEnergies {
 public:
  explicit AuxiliaryEnergies(const std::vector<ProposedAuxiliary>& auxiliaries);

  /// start and stop (1 x w) grow by the negative log densities there. O(d) and a product with H a
  /// column and auxiliary.
  void add(Columns& block, const edge::List<edge::Auxiliary>& from,
           const edge::List<edge::Proposed<edge::Auxiliary>>& to,
           const edge::List<edge::AuxiliaryLaw<edge::Here>>& laws,
           const edge::List<edge::AuxiliaryLaw<edge::There>>& laws_at_proposal, RowMap start,
           RowMap stop) const;

 private:
  /// Which law at the proposal each has; as many as there are: none.
  std::vector<std::size_t> made_anew_;
};

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
