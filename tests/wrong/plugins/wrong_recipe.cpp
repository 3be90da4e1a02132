// A recipe whose D follows theta, with a mistake in Gamma.
// SPDX-License-Identifier: Apache-2.0
#include "wrong/narrowing.hpp"

#include <mixwell/plugin.hpp>
#include <mixwell/recipe.hpp>

#include <memory>

namespace {

using namespace mixwell;

class WrongRecipe final : public TransitionKernel {
 public:
  struct Params {
    std::shared_ptr<const Oracle> oracle;
    StepSchedule step_size{};
    wrong::Mistake mistake;

    void declare(Fields& fields) {
      fields.component("oracle", oracle).or_default("exact").help("where grad U comes from");
      step_size.declare(fields);
      mistake.declare(fields, {"forgotten", "half", "sign", "bound"});
    }
  };
  explicit WrongRecipe(const Params& params)
      : params_(params), recipe_(std::make_shared<wrong::Narrowing>(params.mistake)) {}

 protected:
  void transition(Transition& t) const override {
    const auto law = t.law(params_.oracle);
    step_by_recipe(t, law, t.step_size(params_.step_size), recipe_);
  }

 private:
  Params params_;
  std::shared_ptr<const wrong::Narrowing> recipe_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<WrongRecipe>(
      {.id = "wrong-recipe", .summary = "steps by a recipe with a mistake in Gamma"});
}
