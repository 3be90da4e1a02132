// Hamiltonian trajectories whose step size is drawn given the gradient (Bou-Rabee, Carpenter &
// Marsden 2024), and one mistake of choice.
// SPDX-License-Identifier: Apache-2.0
#include "wrong/mistake.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>

namespace {

using namespace mixwell;

struct LogSize : edge::Numbers<Role::state> {
  using Numbers::Numbers;
};
struct Centre : edge::Numbers<Role::parameter> {
  using Numbers::Numbers;
};

constexpr double spread = 0.4;
constexpr int leaps = 4;

/// x ~ N(centre, spread^2); its number is the centre.
class SizeLaw final : public Potential {
 public:
  explicit SizeLaw(wrong::Mistake mistake) : mistake_(std::move(mistake)) {}

  void evaluate(const Numbers& numbers, ConstBatch x, const Evaluation& out) const override {
    Batch gradient = out.gradient;
    for (Index j = 0; j < x.cols(); ++j) {
      const double off = (x(0, j) - *numbers.column(j)) / (spread * spread);
      if (out.wants_gradient()) gradient(0, j) = off;
      if (out.wants_potential()) out.u()(j) = 0.5 * off * (x(0, j) - *numbers.column(j));
    }
  }
  bool evaluates_potential_alone() const noexcept override { return true; }
  double gradient_cost() const noexcept override { return 0.0; }
  void draw(const Numbers& numbers, const edge::Noise& noise, Batch x, Workspace&) const {
    noise.normals(x);
    const double sd = mistake_.is("wide") ? 1.2 * spread : spread;
    for (Index j = 0; j < x.cols(); ++j) x(0, j) = *numbers.column(j) + sd * x(0, j);
  }

 private:
  wrong::Mistake mistake_;
};

class WrongDrawnStep final : public TransitionKernel {
 public:
  struct Params {
    wrong::Mistake mistake;
    double step_size = 0.5;
    void declare(Fields& fields) {
      mistake.declare(fields, {"wide", "density-here", "half-kick-lost", "declared-turning"});
      fields.number("step_size", step_size).above(0).help("typical eps where the gradient is 0");
    }
  };
  explicit WrongDrawnStep(const Params& params) : params_(params) {}

 private:
  /// Leapfrog. What it writes is in another order than what it reads.
  auto trajectory(Transition& t, Edge<edge::Law> target, Edge<edge::Gradient<edge::Here>> slope,
                  Edge<edge::Momentum> momentum, Edge<LogSize> size) const {
    Traits traits;
    traits.involution = true;
    traits.volume = true;
    return t.add(
        "trajectory", OperationKind::move, traits,
        [lost = params_.mistake.is("half-kick-lost")](
            Columns& block, edge::Position theta, edge::Momentum p, LogSize x, edge::Law law,
            edge::Gradient<edge::Here> g, edge::Out<edge::Proposed<edge::Momentum>> p_to,
            edge::Out<edge::Proposed<LogSize>> x_to, edge::ProposedPosition to) {
          MatrixMap gradient = block.scratch().matrix(theta.rows(), theta.cols());
          RowMap u = block.scratch().row(theta.cols());
          RowMap eps = block.scratch().row(theta.cols());
          eps = x.row(0).array().exp();
          to = theta, p_to = p, x_to = x, gradient = g;
          for (int k = 0; k < leaps; ++k) {
            p_to -= 0.5 * gradient * eps.asDiagonal();
            to += p_to * eps.asDiagonal();
            law.evaluate(to, {u.data(), gradient, block.scratch()});
            if (!(lost && k + 1 == leaps)) p_to -= 0.5 * gradient * eps.asDiagonal();
          }
        },
        t.position(), momentum, size, target, slope,
        t.derived<edge::Proposed<edge::Momentum>>("momentum*", t.dimension()),
        t.derived<edge::Proposed<LogSize>>("log-eps*", 1),
        t.derived<edge::Proposed<edge::Position>>("theta*", t.dimension()));
  }

 protected:
  void transition(Transition& t) const override {
    KernelGraph& graph = t.graph();
    const auto law = t.target();
    const auto at = t.evaluation(law);
    PhaseMomentum p = t.momentum();
    t.refresh(p);
    SharedOperation centre(
        [scale = params_.step_size](edge::PointGradient g, edge::Out<Centre> to) {
          for (Index j = 0; j < g.cols(); ++j) {
            to(0, j) = std::log(scale) - 0.25 * std::log1p(g.col(j).squaredNorm());
          }
        });
    const auto function = std::make_shared<SizeLaw>(params_.mistake);
    const auto law_at = [&](const std::string& name, Value g) {
      return centre.add(graph, t.path(name), OperationKind::pure, {}, Edge<edge::PointGradient>{g},
                        Write<Centre>{Output::derived(t.path(name), 1, function)});
    };
    const Variable size =
        graph.auxiliary(t.path("log-eps"), 1, {.turns = params_.mistake.is("declared-turning")});
    const auto here = law_at("centre", at.g.value);
    const auto x = t.redraw<LogSize>("draw-eps", size, Edge<edge::LawOf<SizeLaw>>{here.value});
    const auto [p_end, x_end, to] = trajectory(t, law, at.g, p.p, x);
    const Cached end = graph.evaluation_at(law.value, t.site().slot, to.value);
    const auto there =
        law_at("back/centre", params_.mistake.is("density-here") ? at.g.value : end.g);
    t.metropolis(
        law,
        {.theta = to,
         .at = EvaluationAt<edge::There>(end),
         .auxiliaries = {t.proposed(p, p_end),
                         {.variable = size,
                          .end = {x_end.value},
                          .law = {here.value},
                          .law_at_proposal = Edge<edge::AuxiliaryLaw<edge::There>>{there.value}}},
         .has_energy = true});
  }

 private:
  Params params_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<WrongDrawnStep>(
      {.id = "wrong-drawn-step", .summary = "drawn step sizes, right or wrong"});
}
