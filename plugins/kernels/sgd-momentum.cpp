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
          fields, "eta of v+ = (1 - alpha) v - eta grad U, or the scale of a falling schedule");
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
           "A sweep is v+ = (1 - alpha) v - eta g, theta+ = theta + v+, with one gradient g of the "
           "oracle. This is Eq. 15 of Chen, Fox & Guestrin without its noise N(0, 2 (alpha - beta) "
           "eta). In their equation theta moves by the old v, before v changes. Their positions "
           "are the same, but come one step later. eta is the eps_t of the schedule. For SGHMC in "
           "steps of h with mass m, eta = h^2 / m, so kernel `langevin` has the same drift with "
           "eps = eta / alpha. With alpha = 1 this is kernel `sgd`. The velocity is carried from "
           "sweep to sweep and starts at 0. Set allow = [\"none\"] in [run]. Statistics: step_size "
           "(eta), gradient_norm, diverging.",
       .sources = {"Chen, Fox & Guestrin 2014, ICML, section 3.5",
                   "Polyak 1964, USSR Comput. Math. Math. Phys. 4"}});
}
