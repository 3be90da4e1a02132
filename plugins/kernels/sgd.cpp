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
      fields.component("oracle", oracle).or_default("exact").help("where U and grad U come from");
      step_size.declare(fields,
                        "a; theta+ = theta - eps grad U, the drift of kernel `langevin`; Welling & "
                        "Teh write eps / 2");
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
       .summary = "no sampler: stochastic gradient descent",
       .details =
           "A sweep is theta+ = theta - eps g with one gradient g of the oracle: kernel `langevin` "
           "without its noise, the baseline that SGLD is compared with. With noise in the gradient "
           "and a constant eps it ends in a cloud around the mode that is not the posterior; set "
           "allow = [\"none\"] in [run]. Statistics: step_size, gradient_norm, diverging.",
       .sources = {"Robbins & Monro 1951, Ann. Math. Stat. 22",
                   "Welling & Teh 2011, ICML (SGLD, of which this is the drift)"}});
}
