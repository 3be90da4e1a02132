// Samplers without Metropolis by the recipe of Ma, Chen and Fox: SGHMC, SGNHT, SGRLD.
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
      fields.component("oracle", oracle).or_default("exact").help("where grad U comes from");
      fields.component("estimator", estimator)
          .or_default("expected-fisher")
          .only_with("dynamics", {"sgrld"})
          .help("of sgrld: D = H(theta), a function of theta alone, as expected-fisher");
      fields.text("dynamics", dynamics)
          .one_of({"sghmc", "sgnht", "sgrld"})
          .help("D, Q and Gamma, and the auxiliaries beside theta");
      fields.number("friction", friction)
          .unit("1/time")
          .above(0)
          .only_with("dynamics", {"sghmc", "sgnht"})
          .help("A of sghmc and sgnht, in balance with noise N(0, 2 A dt); 1 if left out");
      step_size.declare(fields, "eps of one Euler step, z + eps drift + sqrt(2 eps) N x");
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
    auto of = std::dynamic_pointer_cast<const OwnCurvature>(params.estimator);
    if (of == nullptr || of->state_rows(1) > 0) {
      throw ParameterError("estimator",
                           "must be a function of theta alone for sgrld, as expected-fisher");
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
       .summary = "stochastic-gradient samplers from D, Q and Gamma: SGHMC, SGNHT, SGRLD",
       .details =
           "One Euler step a transition of dz = (-(D + Q) grad E + Gamma) dt + N(0, 2 D dt), z = "
           "(theta, r), E = U(theta) and minus the log density of r, which is kept from sweep to "
           "sweep. sghmc: r a momentum, D its friction. sgnht: momentum p and thermostat xi, which "
           "takes up the noise of the gradient, whatever its variance, if that is the same in all "
           "directions and everywhere. sgrld: no r, D the inverse metric, with its Gamma. The "
           "error is of order eps. SGHMC by another first-order scheme, with more steps a "
           "transition, is kernel `hamiltonian` with integrator `euler-maruyama-friction`; SGRLD "
           "is `langevin` too, which makes a constant metric once. One gradient a transition. "
           "Another recipe is a kernel of "
           "few lines, see mixwell/recipe.hpp.",
       .sources = {"Ma, Chen & Fox 2015, NIPS, theorem 1 and section 3",
                   "Chen, Fox & Guestrin 2014, ICML (SGHMC)",
                   "Ding, Fang, Babbush, Chen, Skeel & Neven 2014, NIPS (SGNHT)",
                   "Patterson & Teh 2013, NIPS (SGRLD)"}});
}
