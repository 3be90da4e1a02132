// Hamiltonian Monte Carlo: redraw the momentum, follow the flow, accept or reject.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

#include <cmath>

namespace {

using namespace mixwell;

class Hamiltonian final : public TransitionKernel {
 public:
  struct Params : TransitionParams {
    std::shared_ptr<const Integrator> integrator;
    std::optional<double> learning_rate;
    StepSchedule schedule;
    Steps steps;
    Redraw redraw;
    bool metropolis = true;
    std::string ratio = "oracle";
    std::string coupling = "mass";

    Params() { about_estimator = "curvature of the flow"; }
    void declare(Fields& fields) {
      fields.component("integrator", integrator).or_default("leapfrog").help("scheme of the flow");
      TransitionParams::declare(fields, [this] {
        return metropolis && coupling == "mass" && !integrator->has_friction();
      });
      fields.number("learning_rate", learning_rate)
          .unit("time^2")
          .above(0)
          .refines(Refines::step_size_squared)
          .instead_of("step_size")
          .help("eta = eps^2, as stochastic-gradient samplers with a velocity v = eps p write it");
      schedule.declare_shape(fields);
      steps.declare(fields);
      fields.number("persistence", redraw.persistence)
          .at_least(0)
          .at_most(1)
          .refines(Refines::persistence)
          .help(
              "of the momentum from sweep to sweep: p <- persistence p + sqrt(1 - persistence^2) "
              "z, and -p after a rejection; 0 redraws it, 1 never does. Wrong where its law "
              "changes between sweeps (coupling mass with a curvature of other slots)");
      fields.integer("refresh_every", redraw.every)
          .at_least(1)
          .at_most(1e12)
          .refines(Refines::redraw_every)
          .only_where("persistence below 1; at 1 the momentum is never redrawn",
                      [this] { return redraw.persistence < 1.0; })
          .help(
              "redraw the momentum in one of so many transitions, and carry it through the others");
      fields.flag("metropolis", metropolis)
          .help("accept or reject; false leaves the error of the integrator in the draws");
      fields.text("ratio", ratio)
          .one_of({"oracle", "target"})
          .only_with("metropolis", {"true"})
          .help(
              "whose U the acceptance ratio has: the oracle's, as the dynamics; or the model's "
              "own, which costs one exact evaluation a transition and keeps pi whatever the "
              "oracle is");
      fields.text("coupling", coupling)
          .one_of({"mass", "symmetric", "factor", "one-sided"})
          .only_where("an estimator other than the identity, with which all couplings are the same",
                      [this] { return !estimator->representation()->is_identity(); })
          .help(
              "how the curvature enters theta' = A M^-1 p, p' = -A' grad U: (A, M) = (I, B), "
              "(H, I), (S, I), or A = H in theta' alone with M = I");
    }
    void settle() { steps.settle(); }
  };

  explicit Hamiltonian(const Params& params)
      : params_(params),
        coupling_(
            coupling_from(params.coupling, !params.estimator->representation()->is_identity())) {
    if (params.learning_rate) params_.step_size.step_size = std::sqrt(*params.learning_rate);
    params_.check();
    params_.schedule.step_size = params_.step_size.step_size;
    params.steps.check();
    if (!params.schedule.is_constant() && (params.step_size.learns() || params.step_size.jitter)) {
      throw ParameterError("schedule",
                           "eps falls with the sweep, and is neither learnt nor jittered; leave "
                           "out target_acceptance and step_size_jitter, or the schedule");
    }
    if (params.metropolis && params.integrator->has_noise()) {
      throw ParameterError("integrator",
                           "has noise of its own, which the Metropolis ratio does not account for; "
                           "set metropolis = false, or use leapfrog");
    }
    if (params.step_size.learns() && !params.metropolis) {
      throw ParameterError("target_acceptance",
                           "there is no acceptance to learn from without metropolis = true");
    }
  }

 protected:
  void transition(Transition& t) const override {
    const auto H = t.curvature(params_.estimator);
    const auto law = t.law(params_.oracle);
    PhaseMomentum p = t.momentum(coupling_, H);
    const auto eps = params_.schedule.is_constant()
                         ? t.step_size(params_.step_size,
                                       FirstStep{params_.integrator, coupling_, law, p.law, H})
                         : t.step_size(params_.schedule);
    const auto L = t.steps(params_.steps);
    t.refresh(p, params_.redraw);
    const FlowMove flow{.integrator = params_.integrator,
                        .coupling = coupling_,
                        .law = law,
                        .H = H,
                        .eps = eps,
                        .steps = L,
                        .momentum = p,
                        .redraw = params_.redraw,
                        .fixed_steps = params_.steps.fixed()};
    if (!params_.metropolis) return move_along(t, flow);
    Proposal end = propose_along(t, flow);
    if (params_.ratio == "oracle") return t.metropolis(law, end);
    end.at.reset();  // of the oracle's law
    t.metropolis(t.target(), end);
  }

 private:
  Params params_;
  Coupling coupling_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<Hamiltonian>(
      {.id = "hamiltonian",
       .summary = "Hamiltonian Monte Carlo with static trajectories",
       .details =
           "Each transition redraws p ~ N(0, M), follows theta' = A M^-1 p, p' = -A' grad U for L "
           "steps of eps, and accepts the end with probability min(1, exp(H_start - H_end)), "
           "H = U(theta) + 1/2 p' M^-1 p (a published QNHMC prints the sign of this ratio "
           "reversed). eps may be fixed, jittered, learnt in warm-up, or fall with the sweep "
           "(without "
           "Metropolis its average weighs each draw by eps); L fixed, jittered, or by a rule of "
           "its own (kind steps). With "
           "persistence the momentum is redrawn in part and reversed on rejection. Dynamics of a "
           "noisy oracle are exact with ratio = \"target\": noise that is drawn afresh at every "
           "step, from a law that depends on theta alone, makes a trajectory and its reverse "
           "equally likely.",
       .sources = {"Duane, Kennedy, Pendleton & Roweth 1987, Phys. Lett. B 195",
                   "Horowitz 1991, Phys. Lett. B 268 (persistence)",
                   "Neal 2011, MCMC using Hamiltonian dynamics",
                   "Hoffman & Gelman 2014, section 3.2 (dual averaging)"}});
}
