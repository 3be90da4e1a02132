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
          .help("weight a of the old momentum in p <- a p + sqrt(1 - a^2) z (0: redraw p)");
      fields.integer("refresh_every", redraw.every)
          .at_least(1)
          .at_most(1e12)
          .refines(Refines::redraw_every)
          .only_where("persistence below 1, because at 1 the momentum is never redrawn",
                      [this] { return redraw.persistence < 1.0; })
          .help("n: redraw the momentum only in every n-th transition");
      fields.flag("metropolis", metropolis)
          .help(
              "accept or reject each trajectory (false: the integrator's error biases the draws)");
      fields.text("ratio", ratio)
          .one_of({"oracle", "target"})
          .only_with("metropolis", {"true"})
          .help("U in the acceptance ratio: the oracle's (oracle) or the model's exact U (target)");
      fields.text("coupling", coupling)
          .one_of({"mass", "symmetric", "factor", "one-sided"})
          .only_where("an estimator whose H is not I, because all couplings are the same if H = I",
                      [this] { return !estimator->representation()->is_identity(); })
          .help("choice of A and M in dtheta/dt = A M^-1 p, dp/dt = -A' grad U (see the details)");
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
          "makes eps fall from sweep to sweep, so eps cannot also be adapted or jittered. Remove "
          "target_acceptance and step_size_jitter, or remove schedule.");
    }
    if (params.metropolis && params.integrator->has_noise()) {
      throw ParameterError("integrator",
                           "adds noise, which the Metropolis ratio does not account for. Set "
                           "metropolis = false, or use integrator `leapfrog`.");
    }
    if (params.step_size.learns() && !params.metropolis) {
      throw ParameterError(
          "target_acceptance",
          "needs acceptance probabilities to adapt eps, and there are none without Metropolis. Set "
          "metropolis = true, or remove target_acceptance.");
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
           "Each transition redraws p ~ N(0, M) and follows dtheta/dt = A M^-1 p, dp/dt = -A' grad "
           "U for L steps of size eps. The kernel accepts the end point with probability min(1, "
           "exp(E_start - E_end)), where E = U(theta) + 1/2 p' M^-1 p. (The QNHMC paper prints "
           "E_end - E_start.) eps may be fixed, jittered or adapted in warmup, or it may fall from "
           "sweep to sweep. If eps falls and there is no Metropolis decision, averages weight each "
           "draw by eps. L may be fixed, jittered, or set by a component of kind `steps`. Key "
           "`coupling` sets A and M. For \"mass\", A = I and M = H^-1. For \"symmetric\", A = H "
           "and M = I. For \"factor\", A = S and M = I, where S S' = H. For \"one-sided\", M = I, "
           "and A = H only in the equation for theta.\nIf persistence = a > 0, each redraw is only "
           "partial: p becomes a p + sqrt(1 - a^2) z, where z ~ N(0, M). The kernel then also "
           "reverses the momentum after a rejection. With a = 1 it never redraws the momentum. "
           "Persistence is not valid if the distribution of the momentum changes between sweeps, "
           "as with coupling = \"mass\" and a preconditioner that is fitted to other slots.\nratio "
           "= \"target\" costs one exact evaluation of U per transition and leaves the target "
           "density invariant for every oracle. With this ratio, even an oracle with new noise at "
           "every step is allowed, if the distribution of the noise depends only on theta. A "
           "trajectory and its reverse are then equally likely.",
       .sources = {"Duane, Kennedy, Pendleton & Roweth 1987, Phys. Lett. B 195",
                   "Horowitz 1991, Phys. Lett. B 268 (persistence)",
                   "Neal 2011, MCMC using Hamiltonian dynamics",
                   "Hoffman & Gelman 2014, section 3.2 (dual averaging)"}});
}
