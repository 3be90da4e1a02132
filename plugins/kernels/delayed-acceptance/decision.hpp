// The last stage of delayed acceptance: U where the stages moved, and the decision by both laws.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cmath>

namespace mixwell::delayed_acceptance {

/// Where the stages began, and where they led.
struct Began;
struct Led;

/// What the decision needs of x = theta and of y, what is proposed.
struct Ends {
  Edge<edge::Proposed<edge::Position>> end;
  Edge<edge::StageLaw> rough;
  EvaluationAt<edge::Here> here;
  EvaluationAt<edge::There> there;
  Edge<edge::Potential<Began>> rough_here;
  Edge<edge::Potential<Led>> rough_there;
};

/// U at y in the columns that moved; in the others it is U(x).
class EvaluateWhereMoved {
 public:
  void operator()(Columns& block, edge::Position theta, edge::PointPosition end, edge::Law law,
                  edge::Potential<edge::Here> u, edge::CarriedGradient<edge::Here> g,
                  edge::Out<edge::Potential<edge::There>> u_end,
                  edge::Out<edge::CarriedGradient<edge::There>> g_end) const {
    Workspace& scratch = block.scratch();
    const Index d = theta.rows();
    const Index w = theta.cols();
    const bool wants_gradient = g_end.data() != nullptr;
    Index* const columns = scratch.objects<Index>(w);
    MatrixMap points = scratch.matrix(d, w);
    Index moved = 0;
    u_end = u;
    if (wants_gradient) flat(g_end) = flat(g);
    for (Index j = 0; j < w; ++j) {
      if ((theta.col(j).array() == end.col(j).array()).all()) continue;
      columns[moved] = j;
      points.col(moved++) = end.col(j);
    }
    if (moved == 0) return;
    RowMap found = scratch.row(moved);
    MatrixMap slope = wants_gradient ? scratch.matrix(d, moved) : MatrixMap(nullptr, d, moved);
    law.regrouped(columns).evaluate(points.leftCols(moved), {found.data(), slope, scratch});
    for (Index k = 0; k < moved; ++k) {
      u_end(columns[k]) = found(k);
      if (wants_gradient) g_end.col(columns[k]) = slope.col(k);
    }
  }
};

/// (U, grad U) of the model's law at y. At most one evaluation a column.
inline EvaluationAt<edge::There> evaluate_where_moved(Transition& t,
                                                      Edge<edge::Proposed<edge::Position>> end,
                                                      const EvaluationAt<edge::Here>& here) {
  using edge::CarriedGradient;
  using edge::Potential;
  const Value law = t.target().value;
  const Variable slot = t.site().slot;
  const auto [u, g] = t.add("evaluate", OperationKind::pure, {}, EvaluateWhereMoved(), t.position(),
                            Edge<edge::PointPosition>{end.value}, t.target(), here.u,
                            Edge<CarriedGradient<edge::Here>>{here.g.value},
                            Write<Potential<edge::There>>{
                                Output::evaluation(t.path("evaluate/u"), 1, law, slot, end.value)},
                            Write<CarriedGradient<edge::There>>{Output::carried_gradient(
                                t.path("evaluate/g"), t.dimension(), law, slot, end.value)});
  return {u, {g.value}};
}

enum class Decision { acceptance, moved };

inline constexpr StatisticTable<Decision, 2> decisions{
    {{Decision::acceptance,
      {"acceptance_rate", RecordType::real, "",
       "probability of taking what the stages led to; 0 where they did not move"}},
     {Decision::moved,
      {"moved", RecordType::boolean, "", "the stages moved, and U was evaluated where they led"}}}};

/// y with probability min(1, exp(U(x) - U(y) - V(x) + V(y))), V the stages' potential; 0 where that
/// is not finite.
class Decide {
 public:
  void operator()(Columns& block, edge::Position theta, edge::Proposed<edge::Position> end,
                  edge::Law, edge::StageLaw, edge::Potential<edge::Here> u,
                  edge::CarriedGradient<edge::Here> g, edge::Potential<edge::There> u_end,
                  edge::CarriedGradient<edge::There> g_end, edge::Potential<Began> v,
                  edge::Potential<Led> v_end, edge::Noise noise,
                  edge::Out<edge::Position> next_theta,
                  edge::Out<edge::Potential<edge::Next>> next_u,
                  edge::Out<edge::CarriedGradient<edge::Next>> next_g,
                  edge::Statistics<Decision> out) const {
    const Index w = block.columns();
    RowMap uniform = block.scratch().row(w);
    RowMap log_ratio = block.scratch().row(w);
    noise.uniforms(uniform);
    log_ratio = (u - u_end) - (v - v_end);
    // Taken before the next state is written: it may share the memory of the present one.
    for (Index j = 0; j < w; ++j) {
      const bool moved = !(theta.col(j).array() == end.col(j).array()).all();
      const bool tells = moved && std::isfinite(log_ratio(j));
      out[Decision::moved](j) = moved ? 1.0 : 0.0;
      out[Decision::acceptance](j) = tells ? std::exp(std::min(0.0, log_ratio(j))) : 0.0;
    }
    const NextState state(theta.rows(), w, {theta.data(), u.data(), g.data()},
                          {end.data(), u_end.data(), g_end.data()},
                          {next_theta.data(), next_u.data(), next_g.data()});
    for (Index j = 0; j < w; ++j) {
      state.column(j, uniform(j) < out[Decision::acceptance](j));
    }
  }
};

/// The next state of the transition.
inline void decide(Transition& t, const Ends& ends) {
  using edge::CarriedGradient;
  Traits traits;
  traits.whole_numbers = true;  // it takes what the stages propose
  const auto law = t.target();
  const auto table = t.statistics(decisions);
  const auto written = t.add(
      "accept", OperationKind::accept, traits, Decide(), t.position(), ends.end, law, ends.rough,
      ends.here.u, Edge<CarriedGradient<edge::Here>>{ends.here.g.value}, ends.there.u,
      Edge<CarriedGradient<edge::There>>{ends.there.g.value}, ends.rough_here, ends.rough_there,
      t.noise("accept"), t.next(), t.next_potential(law), t.next_carried_gradient(law), table);
  t.record(table, std::get<WrittenStatistics<Decision>>(written));
}

}  // namespace mixwell::delayed_acceptance
