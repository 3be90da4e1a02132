// What auxiliary variables add to the energy at both ends of a proposal.
// SPDX-License-Identifier: Apache-2.0
#include "kernel/auxiliary_energies.hpp"

namespace mixwell {
namespace {

/// e -= the log density of an auxiliary. O(d) and a product with H a column.
void add_energy(Columns& block, ConstMatrixMap at, const Law& law, RowMap e) {
  const Workspace::Frame frame(block.scratch());
  RowMap k = block.scratch().row(e.cols());
  law.evaluate(at, Evaluation::of_potential(k.data(), at, block.scratch()));
  e += k;
}

}  // namespace

AuxiliaryEdges::AuxiliaryEdges(const KernelGraph& graph,
                               const std::vector<ProposedAuxiliary>& auxiliaries) {
  for (const ProposedAuxiliary& auxiliary : auxiliaries) {
    from.push_back({graph.current(auxiliary.variable)});
    to.push_back(auxiliary.end);
    laws.push_back(auxiliary.law);
    if (auxiliary.law_at_proposal) laws_at_proposal.push_back(*auxiliary.law_at_proposal);
  }
}

AuxiliaryEnergies::AuxiliaryEnergies(const std::vector<ProposedAuxiliary>& auxiliaries) {
  std::size_t anew = 0;
  for (const ProposedAuxiliary& one : auxiliaries) anew += one.law_at_proposal ? 1 : 0;
  std::size_t next = 0;
  for (const ProposedAuxiliary& one : auxiliaries) {
    made_anew_.push_back(one.law_at_proposal ? next++ : anew);
  }
}

void AuxiliaryEnergies::add(Columns& block, const edge::List<edge::Auxiliary>& from,
                            const edge::List<edge::Proposed<edge::Auxiliary>>& to,
                            const edge::List<edge::AuxiliaryLaw<edge::Here>>& laws,
                            const edge::List<edge::AuxiliaryLaw<edge::There>>& laws_at_proposal,
                            RowMap start, RowMap stop) const {
  for (std::size_t k = 0; k < laws.size(); ++k) {
    add_energy(block, from[k], laws[k], start);
    if (made_anew_[k] == laws_at_proposal.size()) {
      add_energy(block, to[k], laws[k], stop);
    } else {
      add_energy(block, to[k], laws_at_proposal[made_anew_[k]], stop);
    }
  }
}

}  // namespace mixwell
