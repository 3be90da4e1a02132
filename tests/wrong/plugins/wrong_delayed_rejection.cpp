// Delayed rejection (Tierney & Mira 1999) as one decision over two steps and a stage, and one
// mistake of choice.
// SPDX-License-Identifier: Apache-2.0
#include "wrong/mistake.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>
#include <limits>

namespace {

using namespace mixwell;

struct Long : edge::Numbers<Role::state> {
  using Numbers::Numbers;
};
struct Short : edge::Numbers<Role::state> {
  using Numbers::Numbers;
};
struct Stage : edge::Numbers<Role::state> {
  using Numbers::Numbers;
};
struct LongStep : edge::Numbers<Role::parameter> {
  using Numbers::Numbers;
};
struct Chance : edge::Numbers<Role::parameter> {
  using Numbers::Numbers;
};

constexpr double long_step = 2.0;
constexpr double short_step = 0.5;

/// N(0, I).
class StepLaw final : public Potential {
 public:
  void evaluate(const Numbers&, ConstBatch z, const Evaluation& out) const override {
    Batch gradient = out.gradient;
    if (out.wants_gradient()) gradient = z;
    if (out.wants_potential()) out.u() = 0.5 * z.colwise().squaredNorm();
  }
  bool evaluates_potential_alone() const noexcept override { return true; }
  double gradient_cost() const noexcept override { return 0.0; }
  void draw(const Numbers&, const edge::Noise& noise, Batch z, Workspace&) const {
    noise.normals(z);
  }
};

/// k = 1 with the probability that its number is, in which the long step is taken; else k = 2.
class StageLaw final : public Potential {
 public:
  explicit StageLaw(wrong::Mistake mistake) : mistake_(std::move(mistake)) {}

  void evaluate(const Numbers& numbers, ConstBatch k, const Evaluation& out) const override {
    Batch gradient = out.gradient;
    if (out.wants_gradient()) gradient.setZero();
    if (!out.wants_potential()) return;
    for (Index j = 0; j < k.cols(); ++j) out.u()(j) = nats(k(0, j), *numbers.column(j));
  }
  bool evaluates_potential_alone() const noexcept override { return true; }
  double gradient_cost() const noexcept override { return 0.0; }
  void draw(const Numbers& numbers, const edge::Noise& noise, Batch k, Workspace&) const {
    noise.uniforms(k);
    for (Index j = 0; j < k.cols(); ++j) k(0, j) = k(0, j) < *numbers.column(j) ? 1.0 : 2.0;
  }

 private:
  double nats(double k, double chance) const {
    if (k == 1.0) return -std::log(chance);
    if (k != 2.0) return std::numeric_limits<double>::infinity();
    return mistake_.is("no-rejection") ? 0.0 : -std::log1p(-chance);
  }

  wrong::Mistake mistake_;
};

/// min(1, exp(U - U at the end of the long step)).
struct LongChance {
  void operator()(Columns& block, edge::PointPosition theta, edge::PointPotential u, LongStep step,
                  edge::StepsLaw law, edge::Out<Chance> chance) const {
    MatrixMap end = block.scratch().matrix(theta.rows(), theta.cols());
    RowMap u_end = block.scratch().row(theta.cols());
    end = theta + long_step * step;
    law.evaluate(end, Evaluation::of_potential(u_end.data(), end, block.scratch()));
    for (Index j = 0; j < theta.cols(); ++j) {
      chance(0, j) = std::min(1.0, std::exp(u(j) - u_end(j)));
    }
  }
};

class WrongDelayedRejection final : public TransitionKernel {
 public:
  struct Params {
    wrong::Mistake mistake;
    void declare(Fields& fields) { mistake.declare(fields, {"no-rejection", "one-sided"}); }
  };
  explicit WrongDelayedRejection(const Params& params) : params_(params) {}

 private:
  /// The long step and its negative change places; so do the short one and its negative, seen from
  /// whose end the long one leads to where it led before.
  auto propose(Transition& t, Edge<Long> far, Edge<Short> near, Edge<Stage> stage) const {
    Traits traits;
    traits.involution = true;
    traits.flips = Flips::nothing;
    traits.volume = true;
    return t.add(
        "propose", OperationKind::move, traits,
        [mistake = params_.mistake](edge::Position theta, Long y, Short z, Stage k,
                                    edge::ProposedPosition to, edge::Out<edge::Proposed<Long>> y_to,
                                    edge::Out<edge::Proposed<Short>> z_to,
                                    edge::Out<edge::Proposed<Stage>> k_to) {
          for (Index j = 0; j < theta.cols(); ++j) {
            const bool is_long = static_cast<int>(k(0, j)) == 1;
            y_to.col(j) = y.col(j);
            z_to.col(j) = z.col(j);
            if (is_long) {
              to.col(j) = theta.col(j) + long_step * y.col(j);
              y_to.col(j) *= -1.0;
            } else {
              to.col(j) = theta.col(j) + short_step * z.col(j);
              y_to.col(j) -= short_step / long_step * z.col(j);
              z_to.col(j) *= -1.0;
            }
            k_to(0, j) = is_long ? 1.0 : 2.0;
          }
          if (mistake.is("one-sided")) z_to = z_to.cwiseAbs();
        },
        t.position(), far, near, stage,
        t.derived<edge::Proposed<edge::Position>>("theta*", t.dimension()),
        t.derived<edge::Proposed<Long>>("long*", t.dimension()),
        t.derived<edge::Proposed<Short>>("short*", t.dimension()),
        t.derived<edge::Proposed<Stage>>("stage*", 1));
  }

 protected:
  void transition(Transition& t) const override {
    KernelGraph& graph = t.graph();
    const auto law = t.target();
    const Edge<edge::LawOf<StepLaw>> normal{
        graph.constant(t.path("normal"), std::make_shared<StepLaw>())};
    const AuxiliaryTraits steady{.turns = false};
    const Variable y = graph.auxiliary(t.path("long"), t.dimension(), steady);
    const Variable z = graph.auxiliary(t.path("short"), t.dimension(), steady);
    const Variable k =
        graph.auxiliary(t.path("stage"), 1, {.space = Space::whole_numbers, .turns = false});
    const auto long_one = t.redraw<Long>("draw-long", y, normal);
    const auto short_one = t.redraw<Short>("draw-short", z, normal);
    SharedOperation chance{LongChance()};
    const auto function = std::make_shared<StageLaw>(params_.mistake);
    const auto stage_law = [&](const std::string& name, Value theta, Value u, Value step) {
      return chance.add(graph, t.path(name), OperationKind::pure, {},
                        Edge<edge::PointPosition>{theta}, Edge<edge::PointPotential>{u},
                        Edge<LongStep>{step}, Edge<edge::StepsLaw>{law.value},
                        Write<Chance>{Output::derived(t.path(name), 1, function)});
    };
    const auto at = t.evaluation(law);
    const auto here = stage_law("chance", t.position().value, at.u.value, long_one.value);
    const auto stage = t.redraw<Stage>("draw-stage", k, Edge<edge::LawOf<StageLaw>>{here.value});
    const auto [to, long_end, short_end, stage_end] = propose(t, long_one, short_one, stage);
    const Cached end = graph.evaluation_at(law.value, t.site().slot, to.value);
    const auto there = stage_law("back/chance", to.value, end.u, long_end.value);
    t.metropolis(
        law,
        {.theta = to,
         .at = EvaluationAt<edge::There>(end),
         .auxiliaries = {{.variable = y, .end = {long_end.value}, .law = {normal.value}},
                         {.variable = z, .end = {short_end.value}, .law = {normal.value}},
                         {.variable = k,
                          .end = {stage_end.value},
                          .law = {here.value},
                          .law_at_proposal = Edge<edge::AuxiliaryLaw<edge::There>>{there.value}}}});
  }

 private:
  Params params_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<WrongDelayedRejection>(
      {.id = "wrong-delayed-rejection", .summary = "delayed rejection, right or wrong"});
}
