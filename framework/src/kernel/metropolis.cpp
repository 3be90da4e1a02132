// The Metropolis decision of every kernel that accepts or rejects a proposal.
// SPDX-License-Identifier: Apache-2.0
#include "kernel/estimated_metropolis.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/kernel/flow.hpp>
#include <mixwell/kernel/position.hpp>

#include <cmath>
#include <utility>

namespace mixwell {
namespace {

/// Adds the negative log density of an auxiliary to e. O(d) and a product with H for each column.
void add_energy(Columns& block, ConstMatrixMap at, const Law& law, RowMap e) {
  const Workspace::Frame frame(block.scratch());
  RowMap k = block.scratch().row(e.cols());
  law.evaluate(at, Evaluation::of_potential(k.data(), at, block.scratch()));
  e += k;
}

using namespace edge;

enum class Decision { acceptance, energy, energy_error, diverging };

constexpr StatisticTable<Decision, 4> decision_statistics{
    {{Decision::acceptance,
      {"acceptance_rate", RecordType::real, "", "Metropolis acceptance probability"}},
     {Decision::energy, {"energy", RecordType::real, "nats", "Hamiltonian of the next state"}},
     {Decision::energy_error,
      {"energy_error", RecordType::real, "nats",
       "Hamiltonian at the end of the trajectory minus the Hamiltonian at its start; "
       "infinite if the trajectory stopped before its end"}},
     {Decision::diverging,
      {"diverging", RecordType::boolean, "",
       "whether the energy error is above 1000 nats or is not finite"}}}};

/// Accepts the proposal with probability min(1, exp(E - E*)), or 0 if the difference is not finite.
class Decide {
 public:
  Decide(const Proposal& proposal)
      : has_energy_(proposal.has_energy),
        reported_(proposal.reported),
        energies_(proposal.auxiliaries) {
    for (std::size_t k = 0; k < proposal.auxiliaries.size(); ++k) {
      if (proposal.auxiliaries[k].carried) carried_.push_back(k);
    }
  }

  void operator()(Columns& block, Position theta, List<Auxiliary> from, Proposed<Position> end,
                  List<Proposed<Auxiliary>> to, edge::Law, List<AuxiliaryLaw<Here>> laws,
                  List<AuxiliaryLaw<There>> laws_at_proposal, edge::Potential<Here> u,
                  CarriedGradient<Here> g, edge::Potential<There> u_end,
                  CarriedGradient<There> g_end, Noise noise, Out<Position> next_theta,
                  Out<edge::Potential<Next>> next_u, Out<CarriedGradient<Next>> next_g,
                  Statistics<Decision> statistics, OutList<Auxiliary> next) const {
    const Index w = block.columns();
    RowMap start = block.scratch().row(w);
    RowMap stop = block.scratch().row(w);
    RowMap uniform = block.scratch().row(w);
    start.setZero();
    stop.setZero();
    energies_.add(block, from, to, laws, laws_at_proposal, start, stop);
    start += u;
    stop += u_end;
    noise.uniforms(uniform);
    // Computed before the next state is written, because both states may share memory.
    RowMap probability = statistics[Decision::acceptance];
    probability = (start - stop).array().exp().min(1.0);
    const NextState state(theta.rows(), w, {theta.data(), u.data(), g.data()},
                          {end.data(), u_end.data(), g_end.data()},
                          {next_theta.data(), next_u.data(), next_g.data()});
    RowMap error = block.scratch().row(w);
    error = stop - start;
    probability = error.array().isFinite().select(probability.array(), 0.0);
    if (has_energy_) {
      note(block, statistics, error, theta, u_end, g_end);
      statistics[Decision::energy] =
          (uniform.array() < probability.array()).select(stop.array(), start.array());
    }
    for (Index j = 0; j < w; ++j) {
      const bool accepted = uniform(j) < probability(j);
      state.column(j, accepted);
      for (std::size_t k = 0; k < carried_.size(); ++k) {
        if (accepted)
          next[k].col(j) = to[carried_[k]].col(j);
        else
          next[k].col(j) = -from[carried_[k]].col(j);
      }
    }
  }

 private:
  void note(Columns& block, Statistics<Decision> statistics, const RowMap& error,
            const Position& theta, const edge::Potential<There>& u_end, ConstBatch g_end) const {
    statistics[Decision::energy_error] = error;
    RowMap diverging = statistics[Decision::diverging];
    for (Index j = 0; j < error.size(); ++j) {
      diverging(j) = is_divergent(error(j)) ? 1.0 : 0.0;
      if (diverging(j) == 0.0 || (reported_ && !std::isfinite(u_end(j)))) continue;
      block.report(trouble(j, u_end(j), g_end, error(j)), theta);
    }
  }

  bool has_energy_;
  bool reported_;
  AuxiliaryEnergies energies_;
  std::vector<std::size_t> carried_;  ///< indices of the carried auxiliaries
};

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

void Transition::metropolis(Edge<edge::Law> law, const Proposal& proposal) {
  note(Call::metropolis);
  if (takes_estimate_of(law)) {
    return decide_by_estimate(*this, law, proposal, *estimates_);
  }
  const EvaluationAt<Here> here = evaluation(law);
  const auto at_end = [&]() -> EvaluationAt<There> {
    if (proposal.at) return *proposal.at;
    return EvaluationAt<There>(graph_.evaluation_at(law.value, site_.slot, proposal.theta.value));
  };
  const EvaluationAt<There> there = at_end();
  const AuxiliaryEdges auxiliaries(graph_, proposal.auxiliaries);
  std::vector<Write<Auxiliary>> next_auxiliaries;
  for (const ProposedAuxiliary& auxiliary : proposal.auxiliaries) {
    if (auxiliary.carried) next_auxiliaries.push_back({Output::next(auxiliary.variable)});
  }
  WriteStatistics<Decision> table = statistics(decision_statistics);
  if (!proposal.has_energy) table.table = table.table.first(1);
  const auto written =
      add("accept", OperationKind::accept, {}, Decide(proposal), position(), auxiliaries.from,
          proposal.theta, auxiliaries.to, law, auxiliaries.laws, auxiliaries.laws_at_proposal,
          here.u, Edge<CarriedGradient<Here>>{here.g.value}, there.u,
          Edge<CarriedGradient<There>>{there.g.value}, noise("accept"), next(), next_potential(law),
          next_carried_gradient(law), table, next_auxiliaries);
  learn_from(std::get<WrittenStatistics<Decision>>(written)[Decision::acceptance]);
  trajectory_ = proposal.trajectory;
}

}  // namespace mixwell
