// Hamiltonian Monte Carlo: redraw the momentum, follow the flow, accept or reject.
// SPDX-License-Identifier: Apache-2.0
#include "hamiltonian/accept.hpp"
#include "hamiltonian/move.hpp"
#include "hamiltonian/params.hpp"
#include "hamiltonian/steps.hpp"

#include <mixwell/momentum.hpp>
#include <mixwell/plugin.hpp>

namespace mixwell::hamiltonian {
namespace {

class Hamiltonian final : public Kernel {
 public:
  using Params = hamiltonian::Params;

  explicit Hamiltonian(const Params& params)
      : params_(params),
        coupling_(params.estimator->representation()->is_identity()
                      ? Coupling::none
                      : coupling_from(params.coupling)) {
    params.step_size.check();
    check_interval("steps_jitter", params.steps_jitter, true);
    if (params.step_size.learns() && !params.metropolis) {
      throw ParameterError("target_acceptance",
                           "there is no acceptance to learn from without metropolis = true");
    }
  }

  void describe(KernelGraph& graph, const Site& site) const override {
    const SiteCurvature curvature(graph, site, params_.estimator);
    const StepSize step_size(graph, site, params_.step_size);
    const Parts parts = prepare(graph, site, curvature, step_size);
    if (params_.metropolis) {
      const Value acceptance = propose_and_accept(graph, site, parts);
      step_size.learn(graph, site, acceptance, curvature.learns());
    } else {
      move(graph, site, parts);
    }
    curvature.learn(graph, site);
    curvature.record(graph, site);
    record_statistic(graph, site, "step_size", parts.eps, RecordType::real, "time",
                     "eps of the transition");
    record_statistic(graph, site, "n_steps", parts.steps, RecordType::integer, "",
                     "integrator steps");
  }

 private:
  struct Parts {
    Value law;
    Value curvature;
    Value momentum_law;
    Variable momentum;
    Value eps;
    Value steps;
    Cached at;
  };

  Parts prepare(KernelGraph& graph, const Site& site, const SiteCurvature& curvature,
                const StepSize& step_size) const {
    const std::string& path = site.path;
    Parts parts;
    parts.law = params_.oracle->law(graph, path + "/oracle", site.target);
    parts.curvature = curvature.value();
    parts.momentum = graph.auxiliary(path + "/momentum", graph[site.slot].rows);
    parts.momentum_law =
        graph.view(path + "/momentum-law",
                   std::make_shared<MomentumLaw>(coupling_, params_.estimator->representation()),
                   parts.curvature);
    parts.at = graph.evaluation(parts.law, site.slot);
    step_size.search(
        graph, site,
        {params_.integrator, coupling_, parts.law, parts.momentum_law, parts.curvature, parts.at});
    parts.eps = step_size.draw(graph, site);
    parts.steps = add_steps(graph, site);
    add_momentum_refresh(graph, path + "/refresh", parts.momentum, parts.momentum_law);
    return parts;
  }

  Value add_steps(KernelGraph& graph, const Site& site) const {
    std::vector<Input> inputs;
    if (params_.steps_jitter) inputs.push_back({graph.noise(site.path + "/steps"), Role::noise});
    return graph
        .add(site.path + "/steps", OperationKind::pure, {}, std::move(inputs),
             {Output::derived(site.path + "/L", 1)}, std::make_shared<StepsBody>(params_))
        .front();
  }

  std::vector<Input> move_inputs(const KernelGraph& graph, const Site& site,
                                 const Parts& parts) const {
    return {{graph.current(site.slot), Role::state},
            {graph.current(parts.momentum), Role::state},
            {parts.law, Role::law},
            {parts.at.u, Role::evaluation},
            {parts.at.g, Role::evaluation},
            {parts.eps, Role::parameter},
            {parts.steps, Role::parameter},
            {parts.curvature, Role::position_coupling},
            {parts.curvature, Role::momentum_coupling}};
  }

  /// The acceptance probabilities.
  Value propose_and_accept(KernelGraph& graph, const Site& site, const Parts& parts) const {
    const std::string& path = site.path;
    const Index d = graph[site.slot].rows;
    const auto end =
        graph.add(path + "/trajectory", OperationKind::move, params_.integrator->traits(),
                  move_inputs(graph, site, parts),
                  {Output::derived(path + "/theta*", d), Output::derived(path + "/p*", d),
                   Output::derived(path + "/u*", 1), Output::derived(path + "/g*", d)},
                  std::make_shared<ProposeBody>(params_.integrator, coupling_));
    const auto out = graph.add(
        path + "/accept", OperationKind::accept, {},
        {{graph.current(site.slot), Role::state},
         {graph.current(parts.momentum), Role::state},
         {end[0], Role::proposed},
         {end[1], Role::proposed},
         {parts.law, Role::law},
         {parts.momentum_law, Role::law},
         {parts.at.u, Role::evaluation},
         {parts.at.g, Role::evaluation},
         {end[2], Role::evaluation},
         {end[3], Role::evaluation},
         {graph.noise(path + "/accept"), Role::noise}},
        {Output::next(site.slot), Output::evaluation(path + "/u", 1, parts.law, site.slot),
         Output::evaluation(path + "/g", d, parts.law, site.slot),
         Output::derived(path + "/acceptance", 1), Output::derived(path + "/energy", 1),
         Output::derived(path + "/energy_error", 1), Output::derived(path + "/diverging", 1)},
        std::make_shared<AcceptBody>());
    record_statistic(graph, site, "acceptance_rate", out[AcceptBody::acceptance], RecordType::real,
                     "", "Metropolis acceptance probability");
    record_statistic(graph, site, "energy", out[AcceptBody::energy], RecordType::real, "nats",
                     "Hamiltonian of the state that was kept");
    record_statistic(graph, site, "energy_error", out[AcceptBody::energy_error], RecordType::real,
                     "nats", "Hamiltonian at the end of the trajectory minus that at its start");
    record_statistic(graph, site, "diverging", out[AcceptBody::diverging], RecordType::boolean, "",
                     "energy error above 1000 nats or not finite");
    return out[AcceptBody::acceptance];
  }

  void move(KernelGraph& graph, const Site& site, const Parts& parts) const {
    const std::string& path = site.path;
    const Index d = graph[site.slot].rows;
    const auto out = graph.add(
        path + "/trajectory", OperationKind::move, params_.integrator->traits(),
        move_inputs(graph, site, parts),
        {Output::next(site.slot), Output::evaluation(path + "/u", 1, parts.law, site.slot),
         Output::evaluation(path + "/g", d, parts.law, site.slot),
         Output::derived(path + "/diverging", 1)},
        std::make_shared<UnadjustedBody>(params_.integrator, coupling_));
    record_statistic(graph, site, "diverging", out[3], RecordType::boolean, "",
                     "the trajectory ended where U or its gradient is not finite, and was dropped");
  }

  Params params_;
  Coupling coupling_;
};

}  // namespace
}  // namespace mixwell::hamiltonian

MIXWELL_PLUGIN(registrar) {
  registrar.add<mixwell::hamiltonian::Hamiltonian>(
      {.id = "hamiltonian",
       .summary = "Hamiltonian Monte Carlo with static trajectories",
       .details =
           "Each transition redraws p ~ N(0, M), follows theta' = A M^-1 p, p' = -A' grad U for L "
           "steps of eps, and accepts the end with probability min(1, exp(H_start - H_end)), "
           "H = U(theta) + 1/2 p' M^-1 p (a published QNHMC prints the sign of this ratio "
           "reversed). eps may be fixed, jittered, or learnt in warm-up; L fixed or jittered.",
       .sources = {"Duane, Kennedy, Pendleton & Roweth 1987, Phys. Lett. B 195",
                   "Neal 2011, MCMC using Hamiltonian dynamics",
                   "Hoffman & Gelman 2014, section 3.2 (dual averaging)"}});
}
