// Langevin dynamics without momentum and without Metropolis.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

#include <memory>

namespace {

using namespace mixwell;

class Langevin final : public TransitionKernel, public RowByRow {
 public:
  struct Params {
    std::shared_ptr<const Integrator> integrator;
    std::shared_ptr<const Oracle> oracle;
    std::shared_ptr<const Estimator> estimator;
    StepSchedule step_size{};
    Steps steps{.count = 1};

    void declare(Fields& fields) {
      fields.component("integrator", integrator)
          .or_default("euler-maruyama")
          .help("integrator of the dynamics; it must have noise and no friction");
      fields.component("oracle", oracle).or_default("exact").help("source of U and grad U");
      fields.component("estimator", estimator)
          .or_default("identity")
          .help(
              "preconditioner H of the drift -H grad U and of the noise, whose covariance is 2 eps "
              "H");
      step_size.declare(fields);
      steps.declare_fixed(fields, "number of steps in a transition, all with the same H");
    }
  };

  explicit Langevin(const Params& params) : params_(params) {
    if (!params.integrator->has_noise() || params.integrator->has_friction()) {
      throw ParameterError("integrator",
                           "must have noise and no friction, as `euler-maruyama` does. Use kernel "
                           "`hamiltonian` for integrators with a momentum.");
    }
    if (params.steps.fixed() > 1 &&
        dynamic_cast<const OwnPreconditioner*>(params.estimator.get()) != nullptr) {
      throw ParameterError(
          "steps",
          "must be 1, because the estimator's H changes with theta from step to step. Set steps = "
          "1, or use an estimator whose H does not depend on theta.");
    }
  }

 protected:
  void transition(Transition& t) const override {
    const auto law = t.law(params_.oracle);
    const auto H = params_.integrator->takes_drift_correction()
                       ? t.preconditioner(params_.estimator, law)
                       : t.preconditioner(params_.estimator);
    const auto eps = t.step_size(params_.step_size);
    move_along(t,
               {.integrator = params_.integrator,
                .coupling = params_.estimator->representation()->is_identity() ? Coupling::none
                                                                               : Coupling::factor,
                .law = law,
                .H = H,
                .eps = eps,
                .steps = StepCounts(t.graph(), t.site(), params_.steps, eps).value(),
                .fixed_steps = params_.steps.fixed()});
  }

 private:
  Params params_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<Langevin>(
      {.id = "langevin",
       .summary = "Langevin dynamics without Metropolis (SGLD)",
       .details =
           "A step is theta+ = theta - eps H grad U + sqrt(2 eps) S z, where H = S S' and z ~ N(0, "
           "I). The oracle may give the exact gradient, a minibatch gradient or a noisy one. eps "
           "may fall from sweep to sweep. Welling & Teh write theta - (eps / 2) grad U + N(0, "
           "eps), so their eps is twice this kernel's eps. HAMCMC, the sampler of Simsekli et al. "
           "2016, uses schedule = \"power\" with exponent 0.51. H may be constant, may be fitted "
           "to other slots, or may change with theta. The estimators `rms-diagonal` and "
           "`expected-fisher` give an H that changes with theta. If H changes with theta, the "
           "drift needs the correction Gamma = div H, and steps must be 1. The error in the draws "
           "is of order eps. Kernel `metropolis-gaussian` with mean = \"newton\" makes the same "
           "step with a Metropolis decision.",
       .sources = {"Welling & Teh 2011, ICML (they write eps / 2 and N(0, eps))",
                   "Simsekli, Badeau, Cemgil & Richard 2016, ICML"}});
}
