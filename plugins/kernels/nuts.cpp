// The no-U-turn sampler: Hamiltonian trajectories that stop where they turn back.
// SPDX-License-Identifier: Apache-2.0
#include "nuts/forest.hpp"

#include <mixwell/plugin.hpp>

namespace mixwell::nuts {
namespace {

enum class Tree { acceptance, energy, steps, depth, reached_max, diverging };

constexpr StatisticTable<Tree, 6> tree_statistics{
    {{Tree::acceptance,
      {"acceptance_rate", RecordType::real, "",
       "mean of min(1, exp(H_start - H)) over the trajectory"}},
     {Tree::energy,
      {"energy", RecordType::real, "nats", "Hamiltonian of the state that was chosen"}},
     {Tree::steps, {"n_steps", RecordType::integer, "", "integrator steps"}},
     {Tree::depth, {"tree_depth", RecordType::integer, "", "doublings of the trajectory"}},
     {Tree::reached_max,
      {"reached_max_treedepth", RecordType::boolean, "",
       "the trajectory was stopped by max_depth"}},
     {Tree::diverging,
      {"diverging", RecordType::boolean, "", "energy error above 1000 nats or not finite"}}}};

/// The trees of a block.
class Grow {
 public:
  Grow(std::shared_ptr<const Integrator> integrator, Coupling coupling, Index max_depth)
      : integrator_(std::move(integrator)), coupling_(coupling), max_depth_(max_depth) {}

  void operator()(Columns& block, edge::Position theta, edge::Momentum p, edge::Law law,
                  edge::MomentumLaw momentum_law, edge::Potential<edge::Here> u,
                  edge::Gradient<edge::Here> g, edge::StepSize eps, edge::PositionCoupling A,
                  edge::MomentumCoupling, edge::Noise noise, edge::Out<edge::Position> next,
                  edge::Out<edge::Potential<edge::Next>> next_u,
                  edge::Out<edge::Gradient<edge::Next>> next_g, edge::Statistics<Tree> out) const {
    edge::begin(theta, next);
    edge::begin(g, next_g);
    edge::begin(u, next_u);
    Forest forest(block, {*integrator_, coupling_, A, law, momentum_law, p, eps, noise},
                  max_depth_);
    forest.grow(next, next_g, next_u);
    for (Index j = 0; j < next.cols(); ++j) {
      const Outcome& outcome = forest.outcome(j);
      out[Tree::acceptance](j) = outcome.acceptance;
      out[Tree::energy](j) = outcome.energy;
      out[Tree::steps](j) = static_cast<double>(outcome.steps);
      out[Tree::depth](j) = static_cast<double>(outcome.depth);
      out[Tree::reached_max](j) = outcome.depth == max_depth_ ? 1.0 : 0.0;
      out[Tree::diverging](j) = outcome.diverging ? 1.0 : 0.0;
    }
  }

 private:
  std::shared_ptr<const Integrator> integrator_;
  Coupling coupling_;
  Index max_depth_;
};

class Nuts final : public TransitionKernel {
 public:
  struct Params : TransitionParams {
    std::shared_ptr<const Integrator> integrator;
    bool learn_step_size = true;
    double target_acceptance = 0.8;
    std::int64_t max_depth = 10;

    void declare(Fields& fields) {
      fields.component("integrator", integrator).or_default("leapfrog").help("scheme of the flow");
      fields.component("oracle", oracle).or_default("exact").help("where U and grad U come from");
      fields.component("estimator", estimator)
          .or_default("identity")
          .or_learnt("diagonal")
          .help("curvature H of the flow, whose inverse is the mass: diagonal, dense, ...");
      fields.flag("learn_step_size", learn_step_size)
          .help("learn eps in warm-up, then freeze it; false: step_size as it is");
      fields.number("target_acceptance", target_acceptance)
          .above(0)
          .below(1)
          .only_with("learn_step_size", {"true"})
          .help("mean acceptance probability over the leaves that learning aims at");
      step_size.declare(fields);
      fields.integer("max_depth", max_depth)
          .at_least(1)
          .at_most(20)
          .help("doublings at most: 2^max_depth - 1 steps");
    }
  };

  explicit Nuts(const Params& params)
      : params_(params),
        coupling_(params.estimator->representation()->is_identity() ? Coupling::none
                                                                    : Coupling::mass) {
    if (params.learn_step_size) params_.step_size.target_acceptance = params.target_acceptance;
    params_.check();
    const Traits scheme = params.integrator->traits();
    if (!scheme.involution || !scheme.volume) {
      throw ParameterError("integrator",
                           "does not declare a reversible map that preserves volume, without "
                           "which the trajectories cannot be sampled exactly");
    }
  }

 protected:
  void transition(Transition& t) const override {
    const auto H = t.curvature(params_.estimator);
    const auto law = t.law(params_.oracle);
    PhaseMomentum p = t.momentum(coupling_, H);
    const auto eps =
        t.step_size(params_.step_size, FirstStep{params_.integrator, coupling_, law, p.law, H});
    t.refresh(p);
    const auto at = t.evaluation(law);
    const auto [next, next_u, next_g, written] =
        t.add("tree", OperationKind::move, {.invariant = true},
              Grow(params_.integrator, coupling_, static_cast<Index>(params_.max_depth)),
              t.position(), p.p, law, p.law, at.u, at.g, eps, Edge<edge::PositionCoupling>{H.value},
              Edge<edge::MomentumCoupling>{H.value}, t.noise("tree"), t.next(),
              t.next_potential(law), t.next_gradient(law), t.statistics(tree_statistics));
    t.learn_from(written[Tree::acceptance]);
  }

 private:
  Params params_;
  Coupling coupling_;
};

}  // namespace
}  // namespace mixwell::nuts

MIXWELL_PLUGIN(registrar) {
  registrar.add<mixwell::nuts::Nuts>(
      {.id = "nuts",
       .summary = "the no-U-turn sampler: multinomial, with the generalised U-turn test",
       .details =
           "Each transition redraws p ~ N(0, M), M = H^-1, and doubles a leapfrog trajectory "
           "forwards or backwards until it turns back: until v' rho <= 0 at one of its ends, rho "
           "the sum of its momenta and v = M^-1 p, for the whole, for any half, or for a half with "
           "the nearest leaf of the other. The next state is drawn from the trajectory with "
           "weights "
           "exp(-H), halves that were added last preferred. eps is learnt in warm-up, by default "
           "towards an acceptance of 0.8; with the estimators diagonal or dense, H is too. All "
           "columns of a block grow in step, and gradients are evaluated for all that still grow.",
       .sources = {"Hoffman & Gelman 2014, JMLR 15",
                   "Betancourt 2017, A conceptual introduction to Hamiltonian Monte Carlo, "
                   "appendix A"}});
}
