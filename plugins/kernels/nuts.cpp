// The no-U-turn sampler: Hamiltonian trajectories that stop where they turn back.
// SPDX-License-Identifier: Apache-2.0
#include "nuts/forest.hpp"

#include <mixwell/plugin.hpp>

namespace mixwell::nuts {
namespace {

/// Inputs as enumerated. Outputs: theta, u, g, then the statistics of the transition.
class GrowBody final : public Body {
 public:
  enum In : std::size_t {
    theta,
    p,
    law,
    momentum_law,
    u,
    g,
    eps,
    curvature,
    momentum_curvature,
    noise
  };
  enum Out : std::size_t {
    next_theta,
    next_u,
    next_g,
    acceptance,
    energy,
    steps,
    depth,
    reached_max,
    diverging
  };

  GrowBody(std::shared_ptr<const Integrator> integrator, Coupling coupling, Index max_depth)
      : integrator_(std::move(integrator)), coupling_(coupling), max_depth_(max_depth) {}

  void run(Block& block) const override {
    MatrixMap to = block.out(next_theta);
    MatrixMap gradient = block.out(next_g);
    RowMap potential = block.out_row(next_u);
    if (to.data() != block.in(theta).data()) flat(to) = flat(block.in(theta));
    if (gradient.data() != block.in(g).data()) flat(gradient) = flat(block.in(g));
    if (potential.data() != block.in(u).data()) potential = block.in_row(u);
    const Ground ground{*integrator_,
                        coupling_,
                        block.curvature(curvature),
                        block.law(law),
                        block.function<MomentumLaw>(momentum_law),
                        block.in(momentum_law),
                        block.in(p),
                        block.in_row(eps)};
    Forest forest(block, ground, noise, max_depth_);
    forest.grow(to, gradient, potential);
    block.count_gradients(law, forest.gradients());
    for (Index j = 0; j < to.cols(); ++j) write(block, j, forest.outcome(j));
  }

 private:
  void write(Block& block, Index j, const Outcome& outcome) const {
    block.out_row(acceptance)(j) = outcome.acceptance;
    block.out_row(energy)(j) = outcome.energy;
    block.out_row(steps)(j) = static_cast<double>(outcome.steps);
    block.out_row(depth)(j) = static_cast<double>(outcome.depth);
    block.out_row(reached_max)(j) = outcome.depth == max_depth_ ? 1.0 : 0.0;
    block.out_row(diverging)(j) = outcome.diverging ? 1.0 : 0.0;
  }

  std::shared_ptr<const Integrator> integrator_;
  Coupling coupling_;
  Index max_depth_;
};

class Nuts final : public Kernel {
 public:
  struct Params {
    std::shared_ptr<const Integrator> integrator;
    std::shared_ptr<const Oracle> oracle;
    std::shared_ptr<const Estimator> estimator;
    bool learn_step_size = true;
    double target_acceptance = 0.8;
    StepSizeSettings step_size{};
    std::int64_t max_depth = 10;

    void declare(Fields& fields) {
      fields.component("integrator", integrator).or_default("leapfrog").help("scheme of the flow");
      fields.component("oracle", oracle).or_default("exact").help("where U and grad U come from");
      fields.component("estimator", estimator)
          .or_default("identity")
          .help("curvature H of the flow, whose inverse is the mass: diagonal, dense, ...");
      fields.flag("learn_step_size", learn_step_size)
          .help("learn eps in warm-up, then freeze it; false: step_size as it is");
      fields.number("target_acceptance", target_acceptance)
          .above(0)
          .below(1)
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
    params_.step_size.check();
    const Traits scheme = params.integrator->traits();
    if (!scheme.involution || !scheme.volume) {
      throw ParameterError("integrator",
                           "does not declare a reversible map that preserves volume, without "
                           "which the trajectories cannot be sampled exactly");
    }
  }

  void describe(KernelGraph& graph, const Site& site) const override {
    const Value before = graph.current(site.slot);
    const std::string& path = site.path;
    const SiteCurvature curvature(graph, site, params_.estimator);
    const StepSize step_size(graph, site, params_.step_size);
    const Value law = params_.oracle->law_for(graph, site);
    const Variable momentum = graph.auxiliary(path + "/momentum", graph[site.slot].rows);
    const Value momentum_law =
        add_momentum_law(graph, path + "/momentum-law", coupling_,
                         params_.estimator->representation(), curvature.value());
    const Cached at = graph.evaluation(law, site.slot);
    step_size.search(graph, site,
                     {params_.integrator, coupling_, law, momentum_law, curvature.value(), at});
    const Value eps = step_size.draw(graph, site);
    add_momentum_refresh(graph, path + "/refresh", momentum, momentum_law);
    const auto out = grow(graph, site,
                          {{graph.current(site.slot), Role::state},
                           {graph.current(momentum), Role::state},
                           {law, Role::law},
                           {momentum_law, Role::law},
                           {at.u, Role::evaluation},
                           {at.g, Role::evaluation},
                           {eps, Role::parameter},
                           {curvature.value(), Role::position_coupling},
                           {curvature.value(), Role::momentum_coupling},
                           {graph.noise(path + "/tree"), Role::noise}},
                          law);
    record(graph, site, out, eps);
    params_.oracle->learn(graph, site, before);
    curvature.learn(graph, site);
    curvature.record(graph, site);
    step_size.learn(graph, site, out[GrowBody::acceptance], curvature.learns());
  }

 private:
  std::vector<Value> grow(KernelGraph& graph, const Site& site, std::vector<Input> inputs,
                          Value law) const {
    const std::string& path = site.path;
    const Index d = graph[site.slot].rows;
    Traits traits;
    traits.invariant = true;
    return graph.add(
        path + "/tree", OperationKind::move, traits, std::move(inputs),
        {Output::next(site.slot), Output::evaluation(path + "/u", 1, law, site.slot),
         Output::evaluation(path + "/g", d, law, site.slot),
         Output::derived(path + "/acceptance", 1), Output::derived(path + "/energy", 1),
         Output::derived(path + "/n-steps", 1), Output::derived(path + "/depth", 1),
         Output::derived(path + "/reached-max", 1), Output::derived(path + "/diverging", 1)},
        std::make_shared<GrowBody>(params_.integrator, coupling_,
                                   static_cast<Index>(params_.max_depth)));
  }

  static void record(KernelGraph& graph, const Site& site, const std::vector<Value>& out,
                     Value eps) {
    record_statistic(graph, site, "acceptance_rate", out[GrowBody::acceptance], RecordType::real,
                     "", "mean of min(1, exp(H_start - H)) over the trajectory");
    record_statistic(graph, site, "energy", out[GrowBody::energy], RecordType::real, "nats",
                     "Hamiltonian of the state that was chosen");
    record_statistic(graph, site, "n_steps", out[GrowBody::steps], RecordType::integer, "",
                     "integrator steps");
    record_statistic(graph, site, "tree_depth", out[GrowBody::depth], RecordType::integer, "",
                     "doublings of the trajectory");
    record_statistic(graph, site, "reached_max_treedepth", out[GrowBody::reached_max],
                     RecordType::boolean, "", "the trajectory was stopped by max_depth");
    record_statistic(graph, site, "diverging", out[GrowBody::diverging], RecordType::boolean, "",
                     "energy error above 1000 nats or not finite");
    record_statistic(graph, site, "step_size", eps, RecordType::real, "time",
                     "eps of the transition");
  }

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
