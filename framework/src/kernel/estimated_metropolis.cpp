// Metropolis with an estimate of the density.
// SPDX-License-Identifier: Apache-2.0
#include "kernel/estimated_metropolis.hpp"

#include <mixwell/law/capabilities.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mixwell {
namespace {

using edge::Auxiliary;
using edge::AuxiliaryLaw;
using edge::CarriedGradient;
using edge::Here;
using edge::Noise;
using edge::Out;
using edge::PointPosition;
using edge::Position;
using edge::Proposed;
using edge::Statistics;
using edge::There;

/// The normals z of the estimate at the slot's position, m x w. They are all 0 before the first
/// draw.
struct EstimateNormals : edge::Numbers<Role::state> {};
/// Uhat at the slot's position (row 0), and whether Uhat is known (row 1); 2 x w.
struct KeptEstimate : edge::Numbers<Role::parameter> {};
struct NextEstimate : edge::Numbers<Role::state> {};

constexpr Index kept_rows = 2;

/// The law exp(-Uhat(.; z)). Its numbers are the normals z.
class EstimatePotential final : public Potential {
 public:
  /// `law` keeps the estimate alive.
  EstimatePotential(std::shared_ptr<const Function> law, const EstimatedDensity& of)
      : law_(std::move(law)), of_(of) {}

  void evaluate(const Numbers& numbers, ConstBatch theta, const Evaluation& out) const override {
    if (!out.wants_potential()) return;
    const Workspace::Frame frame(out.scratch);
    MatrixMap z = out.scratch.matrix(numbers.rows(), theta.cols());
    for (Index j = 0; j < z.cols(); ++j) {
      std::copy_n(numbers.column(j), z.rows(), z.col(j).data());
    }
    RowMap u = out.u();
    of_.estimate(theta, z, u, out.scratch);
  }
  bool evaluates_potential_alone() const noexcept override { return true; }

 private:
  std::shared_ptr<const Function> law_;
  const EstimatedDensity& of_;
};

/// The variables that belong to a slot.
struct EstimateVariables {
  Variable normals;
  Variable kept;
};

std::string name_of_normals(const KernelGraph& graph, Variable slot) {
  return graph[slot].name + "/normals";
}
std::string name_of_kept(const KernelGraph& graph, Variable slot) {
  return graph[slot].name + "/estimate";
}

std::optional<Variable> find(const KernelGraph& graph, const std::string& name) {
  const auto& all = graph.variables();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const VariableInfo& v) { return v.name == name; });
  if (found == all.end()) return std::nullopt;
  return Variable{static_cast<std::int32_t>(found - all.begin())};
}

/// Kernels that move the same slot share these variables.
EstimateVariables variables_of(KernelGraph& graph, Variable slot, Index normals) {
  const auto known = find(graph, name_of_normals(graph, slot));
  if (known) return {*known, *find(graph, name_of_kept(graph, slot))};
  return {graph.estimate(name_of_normals(graph, slot), slot, normals),
          graph.estimate(name_of_kept(graph, slot), slot, kept_rows)};
}

/// Draws the normals if they have never been drawn. If the model offers draw_weighted(), the
/// normals have their distribution given theta at equilibrium.
class FirstNormals {
 public:
  explicit FirstNormals(const EstimatedDensity& of) : of_(of) {}

  void operator()(Columns& block, EstimateNormals z, PointPosition theta, edge::Law, Noise noise,
                  Out<EstimateNormals> next) const {
    begin(z, next);
    if (next.rows() == 0 || (next.row(0).array() != 0.0).all()) return;
    Workspace& scratch = block.scratch();
    MatrixMap drawn = scratch.matrix(next.rows(), next.cols());
    if (of_.draws_weighted()) {
      of_.draw_weighted(theta, noise.stream(), noise.address(), drawn, scratch);
    } else {
      noise.normals(drawn);
    }
    for (Index j = 0; j < next.cols(); ++j) {
      if (next(0, j) == 0.0) next.col(j) = drawn.col(j);
    }
  }

 private:
  const EstimatedDensity& of_;
};

/// Gives the stored Uhat of the state, and evaluates Uhat where none is stored.
class KeptEvaluation {
 public:
  void operator()(Columns& block, edge::Law law, Position theta, KeptEstimate kept,
                  Out<edge::Potential<Here>> u, Out<CarriedGradient<Here>>) const {
    Workspace& scratch = block.scratch();
    Index* const columns = scratch.objects<Index>(u.cols());
    MatrixMap points = scratch.matrix(theta.rows(), theta.cols());
    Index unknown = 0;
    for (Index j = 0; j < u.cols(); ++j) {
      u(j) = kept(0, j);
      if (kept(1, j) != 0.0) continue;
      columns[unknown] = j;
      points.col(unknown++) = theta.col(j);
    }
    if (unknown == 0) return;
    RowMap found = scratch.row(unknown);
    const ConstMatrixMap at(points.data(), points.rows(), unknown);
    law.regrouped(columns).evaluate(at, Evaluation::of_potential(found.data(), at, scratch));
    for (Index k = 0; k < unknown; ++k) u(columns[k]) = found(k);
  }
};

/// z* = rho z + sqrt(1 - rho^2) z'.
class ProposeNormals {
 public:
  explicit ProposeNormals(double rho) : rho_(rho) {}
  void operator()(EstimateNormals z, Noise noise, Out<Proposed<EstimateNormals>> to) const {
    noise.normals(to);
    if (rho_ == 0.0) return;
    flat(to) = rho_ * flat(z) + std::sqrt(1.0 - rho_ * rho_) * flat(to);
  }

 private:
  double rho_;
};

enum class EstimateDecision { acceptance };

constexpr StatisticTable<EstimateDecision, 1> decisions{
    {{EstimateDecision::acceptance,
      {"acceptance_rate", RecordType::real, "", "Metropolis acceptance probability"}}}};

/// Accepts or rejects theta*, z* and their estimate together. If the current estimate of the
/// density is 0, every proposal with an estimate above 0 is accepted.
class DecideByEstimate {
 public:
  explicit DecideByEstimate(const Proposal& proposal) : energies_(proposal.auxiliaries) {}

  void operator()(Columns& block, Position theta, EstimateNormals z, edge::List<Auxiliary> from,
                  Proposed<Position> end, Proposed<EstimateNormals> z_end,
                  edge::List<Proposed<Auxiliary>> to, edge::Law, AuxiliaryLaw<There>,
                  edge::List<AuxiliaryLaw<Here>> laws, edge::List<AuxiliaryLaw<There>> laws_there,
                  edge::Potential<Here> u, edge::Potential<There> u_end, Noise noise,
                  Out<Position> next_theta, Out<EstimateNormals> next_z, Out<NextEstimate> kept,
                  Statistics<EstimateDecision> out) const {
    const Index w = block.columns();
    RowMap start = block.scratch().row(w);
    RowMap stop = block.scratch().row(w);
    RowMap uniform = block.scratch().row(w);
    start = u;
    stop = u_end;
    energies_.add(block, from, to, laws, laws_there, start, stop);
    noise.uniforms(uniform);
    begin(theta, next_theta);
    begin(z, next_z);
    for (Index j = 0; j < w; ++j) {
      const double ratio = std::exp(std::min(0.0, start(j) - stop(j)));
      const double probability = std::isfinite(stop(j)) && std::isfinite(ratio) ? ratio : 0.0;
      const bool accepted = uniform(j) < probability;
      out[EstimateDecision::acceptance](j) = probability;
      kept(0, j) = accepted ? u_end(j) : u(j);
      kept(1, j) = 1.0;
      if (!accepted) continue;
      next_theta.col(j) = end.col(j);
      next_z.col(j) = z_end.col(j);
    }
  }

 private:
  AuxiliaryEnergies energies_;
};

/// The law given the normals.
Value given(KernelGraph& graph, std::string name, std::shared_ptr<const Function> function,
            Value normals, Value law) {
  return graph.view(std::move(name), std::move(function), normals, {.unbiased = true}, law);
}

Cached kept_evaluation(Transition& t, Value law, Variable kept) {
  KernelGraph& graph = t.graph();
  const auto [u, g] =
      t.add("kept", OperationKind::pure, {}, KeptEvaluation(), Edge<edge::Law>{law}, t.position(),
            Edge<KeptEstimate>{graph.current(kept)},
            Write<edge::Potential<Here>>{
                Output::evaluation(t.path("kept/u"), 1, law, t.site().slot, t.position().value)},
            Write<CarriedGradient<Here>>{Output::carried_gradient(
                t.path("kept/g"), t.dimension(), law, t.site().slot, t.position().value)});
  return {u.value, g.value};
}

}  // namespace

const EstimatedDensity* estimate_of(const KernelGraph& graph, Value law) {
  return graph.offered<EstimatedDensity>(law);
}

std::optional<Value> kept_estimate(const KernelGraph& graph, Variable slot) {
  const auto found = find(graph, name_of_kept(graph, slot));
  if (!found) return std::nullopt;
  return graph.current(*found);
}

void decide_by_estimate(Transition& t, Edge<edge::Law> law, const Proposal& proposal,
                        const EstimateSettings& settings) {
  KernelGraph& graph = t.graph();
  const EstimatedDensity& of = *estimate_of(graph, law.value);
  const auto [normals, kept] = variables_of(graph, t.site().slot, of.normals());
  t.add("first-normals", OperationKind::observe, {}, FirstNormals(of),
        Edge<EstimateNormals>{graph.current(normals)}, Edge<PointPosition>{t.position().value}, law,
        t.noise("first-normals"), Write<EstimateNormals>{Output::next(normals)});
  const auto function = std::make_shared<EstimatePotential>(graph[law.value].function, of);
  const Edge<EstimateNormals> z{graph.current(normals)};
  const Value here = given(graph, t.path("given-normals"), function, z.value, law.value);
  const Cached at = kept_evaluation(t, here, kept);
  const auto z_end =
      t.add("propose-normals", OperationKind::move, {.keeps_law = true, .whole_numbers = true},
            ProposeNormals(settings.correlation), z, t.noise("propose-normals"),
            t.derived<Proposed<EstimateNormals>>("normals*", of.normals()));
  const Value there = given(graph, t.path("given-normals*"), function, z_end.value, law.value);
  const Cached at_end = graph.evaluation_at(there, t.site().slot, proposal.theta.value);
  const AuxiliaryEdges auxiliaries(graph, proposal.auxiliaries);
  const auto [next, next_z, next_kept, written] =
      t.add("accept", OperationKind::accept, {}, DecideByEstimate(proposal), t.position(), z,
            auxiliaries.from, proposal.theta, z_end, auxiliaries.to, Edge<edge::Law>{here},
            Edge<AuxiliaryLaw<There>>{there}, auxiliaries.laws, auxiliaries.laws_at_proposal,
            Edge<edge::Potential<Here>>{at.u}, Edge<edge::Potential<There>>{at_end.u},
            t.noise("accept"), t.next(), Write<EstimateNormals>{Output::next(normals)},
            Write<NextEstimate>{Output::next(kept)}, t.statistics(decisions));
  t.learn_from(written[EstimateDecision::acceptance]);
}

}  // namespace mixwell
