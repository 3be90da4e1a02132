// Metropolis with an estimate of the density, and the energies of auxiliary variables.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/kernel/transition.hpp>
#include <mixwell/law/capabilities.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace mixwell {

/// The edges of a decision that belong to auxiliary variables, in the order of the proposal.
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

  /// Adds the negative log densities of the auxiliaries to start and stop (1 x w). O(d) and a
  /// product with H for each column and auxiliary.
  void add(Columns& block, const edge::List<edge::Auxiliary>& from,
           const edge::List<edge::Proposed<edge::Auxiliary>>& to,
           const edge::List<edge::AuxiliaryLaw<edge::Here>>& laws,
           const edge::List<edge::AuxiliaryLaw<edge::There>>& laws_at_proposal, RowMap start,
           RowMap stop) const;

 private:
  /// For each auxiliary, the index of its law at the proposal. If it has no such law, the number of
  /// laws.
  std::vector<std::size_t> made_anew_;
};

/// The estimate of a law of the graph that is known only through an estimate; null for other laws.
const EstimatedDensity* estimate_of(const KernelGraph& graph, Value law);

/// The stored estimate at a slot's position (2 x w, Uhat in its first row), if one is stored.
std::optional<Value> kept_estimate(const KernelGraph& graph, Variable slot);

/// The decision of a transition whose law is known only through an estimate. In the graph, the
/// normals z of the estimate are a variable beside theta. The joint density is exp(-Uhat(theta; z))
/// N(z; 0, I). Its marginal for theta is the density of the model. Two rules keep the joint
/// density:
///   z* = rho z + sqrt(1 - rho^2) z' is reversible for N(0, I), whatever theta does;
///   (theta*, z*) is accepted with probability min(1, exp(Uhat(theta; z) - Uhat(theta*; z*))).
/// So theta, z and Uhat(theta; z) are stored together, and Uhat(theta; z) is not evaluated again.
/// Sources: Andrieu & Roberts 2009, Ann. Stat. 37; Deligiannidis, Doucet & Pitt 2018, J. R. Stat.
/// Soc. B 80 (rho). Each transition costs one estimate and 2 m copies, where m is the number of
/// normals.
void decide_by_estimate(Transition& t, Edge<edge::Law> law, const Proposal& proposal,
                        const EstimateSettings& settings);

}  // namespace mixwell
