// Stochastic gradient descent with momentum: SGHMC without its noise.
// SPDX-License-Identifier: Apache-2.0
#include "optimiser/operations.hpp"

#include <mixwell/plugin.hpp>

namespace {

using namespace mixwell;

class SgdMomentum final : public TransitionKernel {
 public:
  struct Params {
    std::shared_ptr<const Oracle> oracle;
    StepSchedule step_size{};
    double alpha = 0.1;

    void declare(Fields& fields) {
      fields.component("oracle", oracle).or_default("exact").help("source of U and grad U");
      step_size.declare(
          fields, "eta in v+ = (1 - alpha) v - eta grad U, or the scale of a decreasing schedule");
      fields.number("alpha", alpha)
          .above(0)
          .at_most(1)
          .help("fraction of the velocity lost in each step (1 minus the momentum term)");
    }
  };
  explicit SgdMomentum(const Params& params) : params_(params) {}

 protected:
  void transition(Transition& t) const override {
    optimiser::descend(t, params_.oracle, params_.step_size, params_.alpha);
  }

 private:
  Params params_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<SgdMomentum>(
      {.id = "sgd-momentum",
       .summary = "Stochastic gradient descent with momentum (an optimiser, not a sampler)",
       .details =
           "A sweep computes v+ = (1 - alpha) v - eta g and theta+ = theta + v+, where g is one "
           "gradient of the oracle. This is equation 15 of Chen, Fox & Guestrin without its noise "
           "N(0, 2 (alpha - beta) eta). In their equation theta moves by the old v, before v "
           "changes. Their scheme visits the same positions, but one step later. eta is the value "
           "of the schedule in this sweep (step_size if schedule = \"constant\"). SGHMC with step "
           "size h and mass m has eta = h^2 / m. For a constant g, v converges to -(eta / alpha) "
           "g. This is the drift of kernel `langevin` with eps = eta / alpha. Kernel `sgd` is the "
           "case alpha = 1. The velocity starts at 0, and the kernel keeps it from sweep to sweep. "
           "The certificate of an optimiser has the class \"none\", so set allow = [\"none\"] in "
           "[run]. The kernel records step_size (eta), gradient_norm and diverging.",
       .sources = {"Chen, Fox & Guestrin 2014, ICML, section 3.5",
                   "Polyak 1964, USSR Comput. Math. Math. Phys. 4"}});
}
