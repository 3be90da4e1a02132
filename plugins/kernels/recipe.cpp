// SGHMC, SGNHT and SGRLD from the recipe of Ma, Chen and Fox, without a Metropolis decision.
// SPDX-License-Identifier: Apache-2.0
#include "recipe/recipes.hpp"

#include <mixwell/plugin.hpp>
#include <mixwell/recipe.hpp>

#include <memory>
#include <optional>
#include <string>

namespace mixwell::recipes {
namespace {

class RecipeKernel final : public TransitionKernel {
 public:
  struct Params {
    std::shared_ptr<const Oracle> oracle;
    std::shared_ptr<const Estimator> estimator;
    std::string dynamics = "sgnht";
    std::optional<double> friction;
    StepSchedule step_size;

    void declare(Fields& fields) {
      fields.component("oracle", oracle).or_default("exact").help("source of grad U");
      fields.component("estimator", estimator)
          .or_default("expected-fisher")
          .only_with("dynamics", {"sgrld"})
          .help(
              "D = H(theta) for dynamics = \"sgrld\"; H must depend only on theta, as in "
              "`expected-fisher`");
      fields.text("dynamics", dynamics)
          .one_of({"sghmc", "sgnht", "sgrld"})
          .help("choice of D, Q, Gamma and the auxiliary variables");
      fields.number("friction", friction)
          .unit("1/time")
          .above(0)
          .only_with("dynamics", {"sghmc", "sgnht"})
          .help("friction A, which balances the noise N(0, 2 A dt) (default: 1)");
      step_size.declare(fields, "eps of one Euler step, z + eps drift + N(0, 2 eps D)");
    }
  };

  explicit RecipeKernel(const Params& params) : params_(params), recipe_(recipe_of(params)) {}

 protected:
  void transition(Transition& t) const override {
    const auto law = t.law(params_.oracle);
    step_by_recipe(t, law, t.step_size(params_.step_size), recipe_);
  }

 private:
  static std::shared_ptr<const Recipe> recipe_of(const Params& params) {
    const double friction = params.friction.value_or(1.0);
    if (params.dynamics == "sghmc") return std::make_shared<Sghmc>(friction);
    if (params.dynamics == "sgnht") return std::make_shared<Sgnht>(friction);
    auto of = std::dynamic_pointer_cast<const OwnPreconditioner>(params.estimator);
    if (of == nullptr || of->state_rows(1) > 0) {
      throw ParameterError(
          "estimator",
          "must depend only on theta if dynamics = \"sgrld\". Use estimator `expected-fisher`.");
    }
    return std::make_shared<Sgrld>(std::move(of));
  }

  Params params_;
  std::shared_ptr<const Recipe> recipe_;
};

}  // namespace
}  // namespace mixwell::recipes

MIXWELL_PLUGIN(registrar) {
  registrar.add<mixwell::recipes::RecipeKernel>(
      {.id = "recipe",
       .summary = "Stochastic-gradient samplers from D, Q and Gamma: SGHMC, SGNHT, SGRLD",
       .details =
           "A transition is one Euler step of dz = (-(D + Q) grad E + Gamma) dt + N(0, 2 D dt), "
           "where z = (theta, r). E is U(theta) minus the log density of r. The kernel keeps r "
           "from sweep to sweep. With dynamics = \"sghmc\", r is a momentum, and D is its "
           "friction. With \"sgnht\", r consists of a momentum p and a thermostat xi. The "
           "thermostat balances gradient noise of any variance, if the variance is the same in all "
           "directions and at all positions. With \"sgrld\" there is no r, D is the inverse "
           "metric, and Gamma is the divergence of D. The error in the draws is of order eps. A "
           "transition costs one gradient. Kernel `hamiltonian` with integrator "
           "`euler-maruyama-friction` is SGHMC with a different first-order scheme, and can make "
           "several steps per transition. Kernel `langevin` with a preconditioner is also SGRLD, "
           "and computes a constant preconditioner only once. A kernel with a different D and Q "
           "needs only a few lines of C++ (see mixwell/recipe.hpp).",
       .sources = {"Ma, Chen & Fox 2015, NIPS, theorem 1 and section 3",
                   "Chen, Fox & Guestrin 2014, ICML (SGHMC)",
                   "Ding, Fang, Babbush, Chen, Skeel & Neven 2014, NIPS (SGNHT)",
                   "Patterson & Teh 2013, NIPS (SGRLD)"}});
}
