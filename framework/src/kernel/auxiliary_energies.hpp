// What auxiliary variables add to the energy at both ends of a proposal.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/transition.hpp>

#include <cstddef>
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

}  // namespace mixwell
