// Stochastic gradient descent: Langevin dynamics without its noise.
// SPDX-License-Identifier: Apache-2.0
#include "optimiser/operations.hpp"

#include <mixwell/plugin.hpp>

namespace {

using namespace mixwell;

class Sgd final : public TransitionKernel {
 public:
  struct Params {
    std::shared_ptr<const Oracle> oracle;
    StepSchedule step_size{};

    void declare(Fields& fields) {
      fields.component("oracle", oracle).or_default("exact").help("source of U and grad U");
      step_size.declare(
          fields, "eps in theta+ = theta - eps grad U, or the scale of a decreasing schedule");
    }
  };
  explicit Sgd(const Params& params) : params_(params) {}

 protected:
  void transition(Transition& t) const override {
    optimiser::descend(t, params_.oracle, params_.step_size, {});
  }

 private:
  Params params_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<Sgd>(
      {.id = "sgd",
       .summary = "Stochastic gradient descent (an optimiser, not a sampler)",
       .details =
           "A sweep computes theta+ = theta - eps g, where g is one gradient of the oracle. This "
           "is kernel `langevin` without its noise. Papers on SGLD compare SGLD with this "
           "optimiser. Welling & Teh write eps / 2 for this eps. If the gradient is noisy and eps "
           "is constant, the iterates spread around the mode, but their distribution is not the "
           "posterior. The certificate of an optimiser has the class \"none\", so set allow = "
           "[\"none\"] in [run]. The kernel records step_size, gradient_norm and diverging.",
       .sources = {"Robbins & Monro 1951, Ann. Math. Stat. 22",
                   "Welling & Teh 2011, ICML (SGLD, which has the same drift)"}});
}
