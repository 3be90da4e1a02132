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
          .help("scheme of the dynamics, one with noise and without friction");
      fields.component("oracle", oracle).or_default("exact").help("where U and grad U come from");
      fields.component("estimator", estimator)
          .or_default("identity")
          .help("H of the drift -H grad U and of the noise, 2 eps H");
      step_size.declare(fields);
      steps.declare_fixed(fields, "steps of a transition, under one H");
    }
  };

  explicit Langevin(const Params& params) : params_(params) {
    if (!params.integrator->has_noise() || params.integrator->has_friction()) {
      throw ParameterError("integrator",
                           "must have noise and no momentum to damp, as euler-maruyama; for "
                           "schemes with a momentum there is kernel `hamiltonian`");
    }
    if (params.steps.fixed() > 1 &&
        dynamic_cast<const OwnCurvature*>(params.estimator.get()) != nullptr) {
      throw ParameterError("steps", "must be 1: the estimator's H follows theta from step to step");
    }
  }

 protected:
  void transition(Transition& t) const override {
    const auto law = t.law(params_.oracle);
    const auto H = params_.integrator->takes_drift_correction()
                       ? t.curvature(params_.estimator, law)
                       : t.curvature(params_.estimator);
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
           "theta+ = theta - eps H grad U + sqrt(2 eps) S z, H = S S', with any oracle: the exact "
           "gradient, a minibatch, or noise. eps may fall with the sweeps. H is a constant, or "
           "fitted to other slots; where it follows theta itself (estimators rms-diagonal, "
           "expected-fisher) the drift needs Gamma = div H, and steps = 1. The error in the draws "
           "is of order eps; "
           "a Metropolis-adjusted step is kernel `metropolis-gaussian` with mean = \"newton\".",
       .sources = {"Welling & Teh 2011, ICML (they write eps / 2 and N(0, eps))",
                   "Simsekli, Badeau, Cemgil & Richard 2016, ICML"}});
}
