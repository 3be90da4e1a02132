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
      fields.component("oracle", oracle).or_default("exact").help("where U and grad U come from");
      step_size.declare(
          fields,
          "a; its eps_t is eta of v+ = (1 - alpha) v - eta grad U: for SGHMC in steps "
          "of h with mass m, eta = h^2 / m, so that kernel `langevin`'s eps = eta / "
          "alpha has the same drift");
      fields.number("alpha", alpha)
          .above(0)
          .at_most(1)
          .help("share of the velocity lost a step, 1 less the momentum term; 1 is kernel `sgd`");
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
       .summary = "no sampler: stochastic gradient descent with momentum",
       .details =
           "A sweep is v+ = (1 - alpha) v - eta g, theta+ = theta + v+, with one gradient g of the "
           "oracle: Chen, Fox & Guestrin's Eq. 15 without its noise N(0, 2 (alpha - beta) eta). "
           "There theta moves first, by the old v: the same positions, which begin one step later. "
           "The "
           "velocity is carried over sweeps and begins at 0; set allow = [\"none\"] in [run]. "
           "Statistics: step_size (eta), gradient_norm, diverging.",
       .sources = {"Chen, Fox & Guestrin 2014, ICML, section 3.5",
                   "Polyak 1964, USSR Comput. Math. Math. Phys. 4"}});
}
