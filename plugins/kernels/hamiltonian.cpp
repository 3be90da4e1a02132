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

    Params() { about_estimator = "preconditioner of the flow"; }
    void declare(Fields& fields) {
      fields.component("integrator", integrator).or_default("leapfrog").help("integration scheme");
      TransitionParams::declare(fields, [this] {
        return metropolis && coupling == "mass" && !integrator->has_friction();
      });
      fields.number("learning_rate", learning_rate)
          .unit("time^2")
          .above(0)
          .refines(Refines::step_size_squared)
          .instead_of("step_size")
          .help("eta = eps^2, as in stochastic-gradient samplers with velocity v = eps p");
      schedule.declare_shape(fields);
      steps.declare(fields);
      fields.number("persistence", redraw.persistence)
          .at_least(0)
          .at_most(1)
          .refines(Refines::persistence)
          .help("weight a of the old momentum: p <- a p + sqrt(1 - a^2) z; 0 redraws p");
      fields.integer("refresh_every", redraw.every)
          .at_least(1)
          .at_most(1e12)
          .refines(Refines::redraw_every)
          .only_where("persistence below 1, because at 1 the momentum is never redrawn",
                      [this] { return redraw.persistence < 1.0; })
          .help("n: redraw the momentum in every n-th transition, and keep it in the others");
      fields.flag("metropolis", metropolis)
          .help("accept or reject each trajectory; false keeps the integrator's error");
      fields.text("ratio", ratio)
          .one_of({"oracle", "target"})
          .only_with("metropolis", {"true"})
          .help("U in the acceptance ratio: of the oracle, or the exact U of the model (target)");
      fields.text("coupling", coupling)
          .one_of({"mass", "symmetric", "factor", "one-sided"})
          .only_where(
              "an estimator other than the identity, because all couplings are equal for the "
              "identity",
              [this] { return !estimator->representation()->is_identity(); })
          .help(
              "A and M of theta' = A M^-1 p, p' = -A' grad U. mass: A = I, M = H^-1. symmetric: A "
              "= H, M = I. factor: A = S with S S' = H, M = I. one-sided: A = H in theta' only, M "
              "= I");
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
      throw ParameterError(
          "schedule",
          "makes eps fall from sweep to sweep, so eps cannot also be learnt or jittered. Remove "
          "target_acceptance and step_size_jitter, or remove schedule.");
    }
    if (params.metropolis && params.integrator->has_noise()) {
      throw ParameterError("integrator",
                           "adds noise, which the Metropolis ratio does not account for. Set "
                           "metropolis = false, or use leapfrog.");
    }
    if (params.step_size.learns() && !params.metropolis) {
      throw ParameterError(
          "target_acceptance",
          "needs acceptance probabilities to learn from, and there are none without Metropolis. "
          "Set metropolis = true, or remove target_acceptance.");
    }
  }

 protected:
  void transition(Transition& t) const override {
    const auto H = t.preconditioner(params_.estimator);
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
    end.at.reset();  // end.at is an evaluation of the oracle's law
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
           "Each transition redraws p ~ N(0, M) and follows theta' = A M^-1 p, p' = -A' grad U for "
           "L steps of eps. The kernel accepts the end with probability min(1, exp(H_start - "
           "H_end)), H = U(theta) + 1/2 p' M^-1 p (the QNHMC paper prints H_end - H_start). eps "
           "may be fixed, jittered, learnt in warmup, or fall with the sweep. If eps falls and "
           "there is no Metropolis decision, averages weight each draw by eps. L may be fixed, "
           "jittered, or drawn by a rule (kind steps). With coupling one-sided, M = I, and A = H "
           "appears only in the equation of theta'.\nWith persistence, the momentum is redrawn in "
           "part and reversed after a rejection; persistence = 1 never redraws it. Persistence is "
           "wrong if the momentum's distribution changes between sweeps (coupling mass with a "
           "preconditioner made from other slots).\nratio = \"target\" costs one exact evaluation "
           "of U a transition and leaves the target density invariant for every oracle. The oracle "
           "may draw new noise at every step if the distribution of the noise depends only on "
           "theta, because a trajectory and its reverse are then equally likely.",
       .sources = {"Duane, Kennedy, Pendleton & Roweth 1987, Phys. Lett. B 195",
                   "Horowitz 1991, Phys. Lett. B 268 (persistence)",
                   "Neal 2011, MCMC using Hamiltonian dynamics",
                   "Hoffman & Gelman 2014, section 3.2 (dual averaging)"}});
}
