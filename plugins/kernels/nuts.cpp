// The no-U-turn sampler: Hamiltonian trajectories that stop when they turn back.
// SPDX-License-Identifier: Apache-2.0
#include "nuts/forest.hpp"

#include <mixwell/plugin.hpp>

namespace mixwell::nuts {
namespace {

enum class Tree { acceptance, energy, steps, depth, reached_max, diverging };

constexpr StatisticTable<Tree, 6> tree_statistics{
    {{Tree::acceptance,
      {"acceptance_rate", RecordType::real, "",
       "mean acceptance probability min(1, exp(H_start - H)) over the trajectory"}},
     {Tree::energy,
      {"energy", RecordType::real, "nats", "Hamiltonian of the state drawn from the trajectory"}},
     {Tree::steps, {"n_steps", RecordType::integer, "", "integrator steps"}},
     {Tree::depth,
      {"tree_depth", RecordType::integer, "", "number of doublings of the trajectory"}},
     {Tree::reached_max,
      {"reached_max_treedepth", RecordType::boolean, "",
       "whether max_depth stopped the trajectory"}},
     {Tree::diverging,
      {"diverging", RecordType::boolean, "",
       "whether the energy error is above 1000 nats or is not finite"}}}};

/// Grows the trees of a block of columns.
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
      fields.component("integrator", integrator).or_default("leapfrog").help("integration scheme");
      fields.component("oracle", oracle).or_default("exact").help("source of U and grad U");
      fields.component("estimator", estimator)
          .or_default("identity")
          .or_learnt("diagonal")
          .help("preconditioner H of the flow (the mass matrix is H^-1)");
      fields.flag("learn_step_size", learn_step_size)
          .help("adapt eps in warmup, then freeze it (false: keep step_size)");
      fields.number("target_acceptance", target_acceptance)
          .above(0)
          .below(1)
          .only_with("learn_step_size", {"true"})
          .help("target for adapting eps: the mean acceptance probability over a trajectory");
      step_size.declare(fields);
      fields.integer("max_depth", max_depth)
          .at_least(1)
          .at_most(20)
          .help("largest number of doublings (a trajectory has at most 2^max_depth - 1 steps)");
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
                           "must declare that its map is reversible and preserves volume, because "
                           "NUTS is not exact otherwise. Use integrator `leapfrog`.");
    }
  }

 protected:
  void transition(Transition& t) const override {
    const auto H = t.preconditioner(params_.estimator);
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
       .summary = "The multinomial no-U-turn sampler with the generalised U-turn test",
       .details =
           "Each transition redraws p ~ N(0, M), where M = H^-1, and doubles a leapfrog trajectory "
           "forwards or backwards until it turns back. A part of the trajectory turns back if v' "
           "rho <= 0 at either end of the part, where rho is the sum of the part's momenta and v = "
           "M^-1 p. The test applies to the whole trajectory, to each half, and to each half "
           "together with the nearest state of the other half. The kernel draws the next state "
           "from the trajectory with weights exp(-energy), and prefers the half that was added "
           "last. In warmup, Mixwell adapts eps towards a target acceptance probability (0.8 by "
           "default). With estimator `diagonal` or `dense`, it also adapts H. Mixwell doubles the "
           "trajectories of several replicates together, so each gradient evaluation covers all "
           "trajectories that are not complete yet.",
       .sources = {"Hoffman & Gelman 2014, JMLR 15",
                   "Betancourt 2017, A conceptual introduction to Hamiltonian Monte Carlo, "
                   "appendix A"}});
}
