// Delayed acceptance: a cheap density proposes, and the model's own density decides.
// SPDX-License-Identifier: Apache-2.0
#include "../compositors/parts.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace mixwell::delayed_acceptance {
namespace {

/// The position before the first stage, and the position after the last stage.
struct Began;
struct Led;

/// The inputs of the decision, at x = theta and at the proposal y.
struct Ends {
  Edge<edge::Proposed<edge::Position>> end;
  Edge<edge::StageLaw> rough;
  EvaluationAt<edge::Here> here;
  EvaluationAt<edge::There> there;
  Edge<edge::Potential<Began>> rough_here;
  Edge<edge::Potential<Led>> rough_there;
};

/// Evaluates U at y in the columns that moved. In the other columns the result is U(x).
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

/// (U, grad U) of the model's law at y. Makes at most one evaluation for each column.
EvaluationAt<edge::There> evaluate_where_moved(Transition& t,
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

constexpr StatisticTable<Decision, 2> decisions{
    {{Decision::acceptance,
      {"acceptance_rate", RecordType::real, "",
       "acceptance probability of the position after the last stage; 0 if the stages changed "
       "nothing"}},
     {Decision::moved,
      {"moved", RecordType::boolean, "",
       "whether the stages changed the position; if so, U was evaluated at the changed "
       "position"}}}};

/// Accepts y with probability min(1, exp(U(x) - U(y) - V(x) + V(y))), where V is the stages'
/// potential. The probability is 0 if the exponent is not finite.
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
    // Computed before the next state is written, because the next state may share memory with the
    // current state.
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

/// Adds the decision, which writes the next state.
void decide(Transition& t, const Ends& ends) {
  using edge::CarriedGradient;
  const Traits traits{
      .whole_numbers = true,  // the decision only takes values that the stages propose
  };
  const auto law = t.target();
  t.add("accept", OperationKind::accept, traits, Decide(), t.position(), ends.end, law, ends.rough,
        ends.here.u, Edge<CarriedGradient<edge::Here>>{ends.here.g.value}, ends.there.u,
        Edge<CarriedGradient<edge::There>>{ends.there.g.value}, ends.rough_here, ends.rough_there,
        t.noise("accept"), t.next(), t.next_potential(law), t.next_carried_gradient(law),
        t.statistics(decisions));
}

class DelayedAcceptance final : public TransitionKernel {
 public:
  struct Params {
    std::vector<std::shared_ptr<const Kernel>> kernels;
    std::shared_ptr<const Oracle> oracle;

    void declare(Fields& fields) {
      fields.components("kernels", kernels)
          .required()
          .help(
              "stages in order, such as [a], [a, a] or [a, b, a]; the list must be the same in "
              "reverse");
      fields.component("oracle", oracle)
          .required()
          .help(
              "source of the density that the stages use: a surrogate or a minibatch, cheaper than "
              "the model");
    }
  };
  explicit DelayedAcceptance(const Params& params)
      : params_(params), labels_(parts::labels(params.kernels)) {
    if (params.kernels.empty()) throw ParameterError("kernels", "must name at least one kernel");
  }

 protected:
  void transition(Transition& t) const override {
    KernelGraph& graph = t.graph();
    const Edge<edge::StageLaw> rough{t.law(params_.oracle).value};
    const EvaluationAt<edge::Here> here = t.evaluation(t.target());
    const Variable trial = graph.trial(t.path("trial"), t.site().slot);
    graph.begin_trial(trial);
    const Value start = graph.current(trial);
    const Value rough_here = graph.evaluation(rough.value, trial).u;
    for (std::size_t k = 0; k < params_.kernels.size(); ++k) {
      graph.begin_description(*params_.kernels[k]);
      params_.kernels[k]->describe(graph, stage(t, k, trial, rough.value));
      graph.end_description();
    }
    if (graph.current(trial) == start) {
      throw WiringError("kernel `" + t.site().path +
                        "`: the stages in `kernels` do not move the position. Add a stage that "
                        "moves the position.");
    }
    const Edge<edge::Proposed<edge::Position>> end{graph.current(trial)};
    const EvaluationAt<edge::There> there = evaluate_where_moved(t, end, here);
    decide(t, {.end = end,
               .rough = rough,
               .here = here,
               .there = there,
               .rough_here = {rough_here},
               .rough_there = {graph.evaluation(rough.value, trial).u}});
  }

 private:
  /// The site of a stage. The stage moves the trial position under the stage law.
  Site stage(const Transition& t, std::size_t k, Variable trial, Value law) const {
    const Site& whole = t.site();
    return {.path = t.path(labels_[k]),
            .label = recorded_name(whole, labels_[k]),
            .slot = trial,
            .number = whole.number,
            .target = law,
            .memory = whole.fit_to == FitTo::memory ? whole.memory : MemoryValues(),
            .phase = whole.phase};
  }

  Params params_;
  std::vector<std::string> labels_;
};

}  // namespace
}  // namespace mixwell::delayed_acceptance

MIXWELL_PLUGIN(registrar) {
  registrar.add<mixwell::delayed_acceptance::DelayedAcceptance>(
      {.id = "delayed-acceptance",
       .summary = "Proposals by kernels on a cheap density, accepted or rejected by the model's "
                  "own density",
       .details =
           "The kernels in `kernels`, called stages, move a copy of the position one after another "
           "under the density exp(-V) of `oracle`. If the stages have moved the copy from x to y, "
           "the kernel evaluates U(y) and accepts y with probability min(1, exp(U(x) - U(y) - V(x) "
           "+ V(y))). If every stage rejected, the model is not evaluated. The kernel is exact "
           "under two conditions, which the certificate derives: the stages together are "
           "reversible for exp(-V), and the function V does not change when the chain moves. A "
           "stage must be a kernel with one Metropolis decision. If the stage has a momentum, each "
           "transition must draw a new momentum. The list of stages must be the same in reverse "
           "order. A kernel that occurs more than once must not adapt its step size, so set its "
           "step_size. A noisy V is allowed if the stages do not use the gradient of V. The noise "
           "of V is then drawn once for each transition.\nA transition costs two evaluations of V "
           "in addition to the cost of the stages. If the stages moved the copy, the transition "
           "also costs one evaluation of U. If they did not, acceptance_rate is 0, and `moved` is "
           "false.",
       .sources = {"Christen & Fox 2005, J. Comp. Graph. Stat. 14, 795-810",
                   "Liu 2001, Monte Carlo Strategies in Scientific Computing, section 9.4.3"}});
}
