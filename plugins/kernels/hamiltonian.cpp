// Hamiltonian Monte Carlo: redraw the momentum, follow the flow, accept or reject.
// SPDX-License-Identifier: Apache-2.0
#include "hamiltonian/accept.hpp"
#include "hamiltonian/move.hpp"
#include "hamiltonian/params.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

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
    if (params.learning_rate) params_.step_size.step_size = std::sqrt(*params.learning_rate);
    params.step_size.check();
    params.steps.check();
    if (params.metropolis && params.integrator->has_noise()) {
      throw ParameterError("integrator",
                           "has noise of its own, which the Metropolis ratio does not account for; "
                           "set metropolis = false, or use leapfrog");
    }
    if (params.integrator->has_friction() && coupling_ == Coupling::mass) {
      throw ParameterError("coupling",
                           "the integrator damps a momentum p ~ N(0, I); use \"symmetric\" or "
                           "\"factor\", where the curvature is in the flow");
    }
    if (params.step_size.learns() && !params.metropolis) {
      throw ParameterError("target_acceptance",
                           "there is no acceptance to learn from without metropolis = true");
    }
  }

  void describe(KernelGraph& graph, const Site& site) const override {
    const Value before = graph.current(site.slot);
    const SiteCurvature curvature(graph, site, params_.estimator);
    const StepSize step_size(graph, site, params_.step_size);
    const Parts parts = prepare(graph, site, curvature, step_size);
    Value path;
    if (params_.metropolis) {
      const Transition done = propose_and_accept(graph, site, parts);
      step_size.learn(graph, site, done.acceptance, curvature.learns());
      path = done.path;
    } else {
      move(graph, site, parts);
    }
    params_.oracle->learn(graph, site, before);
    curvature.learn(graph, site, path);
    curvature.record(graph, site);
    record_statistic(graph, site, "step_size", parts.eps, RecordType::real, "time",
                     "eps of the transition");
    record_statistic(graph, site, "n_steps", parts.steps, RecordType::integer, "",
                     "integrator steps");
  }

 private:
  struct Parts {
    Value law;
    Value ratio_law;  ///< the same, or the target's own
    Value curvature;
    Value momentum_law;
    Variable momentum;
    Value eps;
    Value steps;
    Cached at;
  };

  struct Transition {
    Value acceptance;
    Value path;
  };

  /// A single step goes as far as eps lets it.
  Traits traits() const {
    Traits traits = params_.integrator->traits();
    traits.local = traits.local || (params_.steps.count == 1 && !params_.steps.jitter);
    return traits;
  }

  bool carries_momentum() const noexcept { return redraw_of(params_).carries(); }

  Parts prepare(KernelGraph& graph, const Site& site, const SiteCurvature& curvature,
                const StepSize& step_size) const {
    const std::string& path = site.path;
    Parts parts;
    parts.law = params_.oracle->law_for(graph, site);
    parts.ratio_law = params_.ratio == "target" ? site.target : parts.law;
    check_noise(graph, parts.law);
    parts.curvature = curvature.value();
    parts.momentum = graph.auxiliary(path + "/momentum", graph[site.slot].rows);
    parts.momentum_law = add_momentum_law(graph, path + "/momentum-law", coupling_,
                                          params_.estimator->representation(), parts.curvature);
    if (has_gradient(graph, parts.law)) parts.at = graph.evaluation(parts.law, site.slot);
    step_size.search(
        graph, site,
        {params_.integrator, coupling_, parts.law, parts.momentum_law, parts.curvature, parts.at});
    parts.eps = step_size.draw(graph, site);
    parts.steps = params_.steps.add(graph, site);
    add_momentum_refresh(graph, path + "/refresh", parts.momentum, parts.momentum_law,
                         redraw_of(params_));
    return parts;
  }

  /// An exact gradient at the start is there anyway; another is drawn where the scheme reads it.
  bool has_gradient(const KernelGraph& graph, Value law) const {
    return params_.metropolis || params_.integrator->starts_with_gradient() ||
           graph.is_constant(law);
  }

  void check_noise(const KernelGraph& graph, Value law) const {
    if (!params_.integrator->wants_gradient_noise()) return;
    const auto* const how = dynamic_cast<const Potential*>(graph[law].function.get());
    if (how != nullptr && how->as_noise() != nullptr) return;
    throw InputError("kernel `" + name() + "`: integrator `" + params_.integrator->name() +
                     "` estimates the noise of each gradient, of which oracle `" +
                     params_.oracle->name() +
                     "` tells nothing; use oracle `minibatch` with a size of at least 2, or "
                     "noise_from = \"fixed\"");
  }

  std::vector<Input> move_inputs(const KernelGraph& graph, const Site& site,
                                 const Parts& parts) const {
    std::vector<Input> inputs{{graph.current(site.slot), Role::state},
                              {graph.current(parts.momentum), Role::state},
                              {parts.law, Role::law},
                              {parts.eps, Role::parameter},
                              {parts.steps, Role::parameter},
                              {parts.curvature, Role::position_coupling}};
    if (parts.at.g) {
      inputs.push_back({parts.at.u, Role::evaluation});
      inputs.push_back({parts.at.g, Role::evaluation});
    }
    if (coupling_ != Coupling::one_sided) {
      inputs.push_back({parts.curvature, Role::momentum_coupling});
    }
    return inputs;
  }

  /// Points of the trajectory that the site's history wants; 0 if it wants none.
  Index path_points(const Site& site) const {
    if (site.remember != Remember::path) return 0;
    if (params_.steps.jitter) {
      throw InputError("kernel `" + name() +
                       "`: a history of the trajectory's points needs the same number of steps in "
                       "every transition; use `steps` instead of `steps_jitter`");
    }
    return std::min<Index>(params_.steps.count, site.history.points);
  }

  /// theta*, p*, u*, g*, and the path if one is wanted.
  std::vector<Value> propose(KernelGraph& graph, const Site& site, const Parts& parts) const {
    const std::string& path = site.path;
    const Index d = graph[site.slot].rows;
    const Index points = path_points(site);
    std::vector<Output> outputs{Output::derived(path + "/theta*", d),
                                Output::derived(path + "/p*", d), Output::derived(path + "/u*", 1),
                                Output::derived(path + "/g*", d)};
    std::shared_ptr<const Body> body;
    if (points > 0) {
      outputs.push_back(Output::derived(path + "/path", path_rows(d, points)));
      body = std::make_shared<ProposeWithPathBody>(params_.integrator, coupling_, points);
    } else {
      body = std::make_shared<ProposeBody>(params_.integrator, coupling_);
    }
    return graph.add(path + "/trajectory", OperationKind::move, traits(),
                     move_inputs(graph, site, parts), std::move(outputs), std::move(body));
  }

  Transition propose_and_accept(KernelGraph& graph, const Site& site, const Parts& parts) const {
    const std::string& path = site.path;
    const Index d = graph[site.slot].rows;
    const auto end = propose(graph, site, parts);
    const bool same = parts.ratio_law == parts.law;
    const Cached here = same ? parts.at : graph.evaluation(parts.ratio_law, site.slot);
    const Cached there =
        same ? Cached{end[2], end[3]} : graph.evaluation_at(parts.ratio_law, site.slot, end[0]);
    std::vector<Output> outputs{Output::next(site.slot),
                                Output::evaluation(path + "/u", 1, parts.ratio_law, site.slot),
                                Output::evaluation(path + "/g", d, parts.ratio_law, site.slot),
                                Output::derived(path + "/acceptance", 1),
                                Output::derived(path + "/energy", 1),
                                Output::derived(path + "/energy_error", 1),
                                Output::derived(path + "/diverging", 1)};
    if (carries_momentum()) outputs.push_back(Output::next(parts.momentum));
    const auto out =
        graph.add(path + "/accept", OperationKind::accept, {},
                  {{graph.current(site.slot), Role::state},
                   {graph.current(parts.momentum), Role::state},
                   {end[0], Role::proposed},
                   {end[1], Role::proposed},
                   {parts.ratio_law, Role::law},
                   {parts.momentum_law, Role::law},
                   {here.u, Role::evaluation},
                   {here.g, Role::evaluation},
                   {there.u, Role::evaluation},
                   {there.g, Role::evaluation},
                   {graph.noise(path + "/accept"), Role::noise}},
                  std::move(outputs), std::make_shared<AcceptBody>(carries_momentum()));
    record_statistic(graph, site, "acceptance_rate", out[AcceptBody::acceptance], RecordType::real,
                     "", "Metropolis acceptance probability");
    record_statistic(graph, site, "energy", out[AcceptBody::energy], RecordType::real, "nats",
                     "Hamiltonian of the state that was kept");
    record_statistic(graph, site, "energy_error", out[AcceptBody::energy_error], RecordType::real,
                     "nats", "Hamiltonian at the end of the trajectory minus that at its start");
    record_statistic(graph, site, "diverging", out[AcceptBody::diverging], RecordType::boolean, "",
                     "energy error above 1000 nats or not finite");
    return {out[AcceptBody::acceptance], end.size() > 4 ? end[4] : Value{}};
  }

  void move(KernelGraph& graph, const Site& site, const Parts& parts) const {
    const std::string& path = site.path;
    const Index d = graph[site.slot].rows;
    std::vector<Input> inputs = move_inputs(graph, site, parts);
    UnadjustedBody::Shape shape{
        static_cast<bool>(parts.at.g), carries_momentum(), graph.is_constant(parts.law), {}};
    if (params_.integrator->has_noise()) {
      shape.noise = inputs.size();
      inputs.push_back({graph.noise(path + "/trajectory"), Role::noise});
    }
    if (params_.integrator->has_friction()) {
      inputs.push_back({graph.constant(path + "/friction", nullptr), Role::friction});
    }
    inputs.push_back({parts.momentum_law, Role::law});
    std::vector<Output> outputs{Output::next(site.slot), Output::derived(path + "/diverging", 1)};
    if (shape.carries_momentum) outputs.push_back(Output::next(parts.momentum));
    if (shape.keeps_gradient) {
      outputs.push_back(Output::evaluation(path + "/u", 1, parts.law, site.slot));
      outputs.push_back(Output::evaluation(path + "/g", d, parts.law, site.slot));
    }
    const auto out = graph.add(
        path + "/trajectory", OperationKind::move, traits(), std::move(inputs), std::move(outputs),
        std::make_shared<UnadjustedBody>(params_.integrator, coupling_, shape));
    record_statistic(graph, site, "diverging", out[1], RecordType::boolean, "",
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
           "reversed). eps may be fixed, jittered, or learnt in warm-up; L fixed or jittered. With "
           "persistence the momentum is redrawn in part and reversed on rejection. Dynamics of a "
           "noisy oracle are exact with ratio = \"target\": noise that is drawn afresh at every "
           "step, from a law that depends on theta alone, makes a trajectory and its reverse "
           "equally likely.",
       .sources = {"Duane, Kennedy, Pendleton & Roweth 1987, Phys. Lett. B 195",
                   "Horowitz 1991, Phys. Lett. B 268 (persistence)",
                   "Neal 2011, MCMC using Hamiltonian dynamics",
                   "Hoffman & Gelman 2014, section 3.2 (dual averaging)"}});
}
