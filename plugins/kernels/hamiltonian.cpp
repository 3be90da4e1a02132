// Hamiltonian Monte Carlo: redraw the momentum, follow the flow, accept or reject.
// SPDX-License-Identifier: Apache-2.0
#include "hamiltonian/accept.hpp"
#include "hamiltonian/learn.hpp"
#include "hamiltonian/move.hpp"
#include "hamiltonian/params.hpp"
#include "hamiltonian/step.hpp"

#include <mixwell/learner.hpp>
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
    check_interval("step_size_jitter", params.step_size_jitter, false);
    check_interval("steps_jitter", params.steps_jitter, true);
    if (params.target_acceptance && !params.metropolis) {
      throw ParameterError("target_acceptance",
                           "there is no acceptance to learn from without metropolis = true");
    }
    if (params.pool && !params.target_acceptance) {
      throw ParameterError("pool", "nothing is learnt without target_acceptance");
    }
  }

  void describe(KernelGraph& graph, const Site& site) const override {
    Parts parts = prepare(graph, site);
    if (params_.metropolis) {
      propose_and_accept(graph, site, parts);
    } else {
      move(graph, site, parts);
    }
    record(graph, site, "step_size", parts.eps, RecordType::real, "time", "eps of the transition");
    record(graph, site, "n_steps", parts.steps, RecordType::integer, "", "integrator steps");
  }

 private:
  struct Parts {
    Value law;
    Value curvature;
    Value momentum_law;
    Variable momentum;
    Variable learnt{};
    Value eps;
    Value steps;
    Cached at;
  };

  bool learns() const { return params_.target_acceptance.has_value(); }

  Parts prepare(KernelGraph& graph, const Site& site) const {
    const std::string& path = site.path;
    const Index d = graph[site.slot].rows;
    Parts parts;
    parts.law = params_.oracle->law(graph, path + "/oracle", site.target);
    parts.curvature = fitted_curvature(graph, path, params_.estimator, d, site.memory);
    parts.momentum = graph.auxiliary(path + "/momentum", d);
    parts.momentum_law =
        graph.view(path + "/momentum-law",
                   std::make_shared<MomentumLaw>(coupling_, params_.estimator->representation()),
                   parts.curvature);
    parts.at = graph.evaluation(parts.law, site.slot);
    if (learns()) {
      const DualAveraging learner(params_.step_size, *params_.target_acceptance);
      parts.learnt = graph.history(path + "/step-size-learner", learner.initial(),
                                   learner.forgets(), params_.pool ? Scope::run : Scope::replicate);
    }
    add_step(graph, site, parts);
    add_momentum_refresh(graph, path + "/refresh", parts.momentum, parts.momentum_law);
    return parts;
  }

  void add_step(KernelGraph& graph, const Site& site, Parts& parts) const {
    const bool jittered = params_.step_size_jitter || params_.steps_jitter;
    std::vector<Input> inputs;
    if (learns()) inputs.push_back({graph.current(parts.learnt), Role::parameter});
    if (jittered) inputs.push_back({graph.noise(site.path + "/jitter"), Role::noise});
    const Index row =
        site.phase == PhaseKind::warmup ? DualAveraging::log_eps : DualAveraging::log_eps_bar;
    const auto out = graph.add(
        site.path + "/step", OperationKind::pure, {}, std::move(inputs),
        {Output::derived(site.path + "/eps", 1), Output::derived(site.path + "/steps", 1)},
        std::make_shared<StepBody>(params_, learns(), row, jittered));
    parts.eps = out[0];
    parts.steps = out[1];
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

  void propose_and_accept(KernelGraph& graph, const Site& site, const Parts& parts) const {
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
    record(graph, site, "acceptance_rate", out[AcceptBody::acceptance], RecordType::real, "",
           "Metropolis acceptance probability");
    record(graph, site, "energy", out[AcceptBody::energy], RecordType::real, "nats",
           "Hamiltonian of the state that was kept");
    record(graph, site, "energy_error", out[AcceptBody::energy_error], RecordType::real, "nats",
           "Hamiltonian at the end of the trajectory minus that at its start");
    record(graph, site, "diverging", out[AcceptBody::diverging], RecordType::boolean, "",
           "energy error above 1000 nats or not finite");
    if (learns() && site.phase == PhaseKind::warmup) {
      learn(graph, site, parts, out[AcceptBody::acceptance]);
    }
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
    record(graph, site, "diverging", out[3], RecordType::boolean, "",
           "the trajectory ended where U or its gradient is not finite, and was dropped");
  }

  void learn(KernelGraph& graph, const Site& site, const Parts& parts, Value acceptance) const {
    const DualAveraging learner(params_.step_size, *params_.target_acceptance);
    graph.add(site.path + "/learn", OperationKind::observe, {},
              {{graph.current(parts.learnt), Role::state}, {acceptance, Role::parameter}},
              {Output::next(parts.learnt)}, std::make_shared<LearnBody>(learner));
  }

  static void record(KernelGraph& graph, const Site& site, std::string name, Value value,
                     RecordType type, std::string unit, std::string help) {
    graph.record({RecordGroup::sample_stats,
                  std::move(name),
                  {},
                  type,
                  std::move(unit),
                  std::move(help),
                  site.number,
                  value,
                  0});
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
