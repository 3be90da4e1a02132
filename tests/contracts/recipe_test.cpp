// Recipes of diffusions: the contract holds for what is built in, and tells wrong ones.
// SPDX-License-Identifier: Apache-2.0
#include "../../plugins/kernels/recipe/recipes.hpp"
#include "composing.hpp"
#include "wrong/narrowing.hpp"

#include <mixwell/contracts/recipe.hpp>

#include <catch2/catch.hpp>

#include <memory>
#include <string>

namespace {

using namespace mixwell;

std::string broken(const Recipe& recipe) {
  std::string clauses;
  for (const contracts::Finding& finding : contracts::check_recipe(recipe))
    if (!finding.holds) clauses += finding.clause + "; ";
  return clauses;
}

/// Q of a thermostat with the same sign on both sides; a root that is D.
class NoisySgnht final : public Recipe {
 public:
  explicit NoisySgnht(bool skew) : skew_(skew) {}
  Auxiliaries auxiliaries(Index d) const override { return right_.auxiliaries(d); }
  Index rows(Index d) const override { return right_.rows(d); }
  void coefficients(const Potential& target, ConstBatch z, Batch numbers,
                    Workspace& scratch) const override {
    right_.coefficients(target, z, numbers, scratch);
  }
  void D(ConstBatch p, ConstBatch v, Batch out, Workspace& scratch) const override {
    right_.D(p, v, out, scratch);
  }
  void Q(ConstBatch p, ConstBatch v, Batch out, Workspace& scratch) const override {
    right_.Q(p, v, out, scratch);
    if (!skew_) out.bottomRows<1>() = -out.bottomRows<1>();
  }
  void root(ConstBatch p, ConstBatch x, Batch out, Workspace& scratch) const override {
    skew_ ? right_.D(p, x, out, scratch) : right_.root(p, x, out, scratch);
  }

 private:
  bool skew_;
  recipes::Sgnht right_{2.0};
};

}  // namespace

TEST_CASE("recipes that are built in keep their contract") {
  CHECK(broken(recipes::Sghmc(1.5)).empty());
  CHECK(broken(recipes::Sgnht(0.7)).empty());
  const auto fisher =
      std::dynamic_pointer_cast<const OwnPreconditioner>(std::shared_ptr<const Component>(
          composing::registry().find(Kind::estimator, "expected-fisher").blueprint()->make()));
  REQUIRE(fisher != nullptr);
  CHECK(broken(recipes::Sgrld(fisher)).empty());
  CHECK(contracts::check_recipe(recipes::Sgrld(fisher)).size() == 6);
}

TEST_CASE("a Gamma that is forgotten, halved or of the wrong sign is told from the differences") {
  CHECK(broken(wrong::Narrowing(wrong::Mistake())).empty());
  for (const std::string mistake : {"forgotten", "half", "sign"}) {
    INFO(mistake);
    CHECK(broken(wrong::Narrowing(wrong::Mistake(mistake))) ==
          "Gamma is the divergence of D + Q; ");
  }
}

TEST_CASE("a D without the bound that is declared is told") {
  CHECK(broken(wrong::Narrowing(wrong::Mistake("bound"))) == "bounded near 0; ");
}

TEST_CASE("a Q that is not skew and a noise that is not that of D are told") {
  CHECK(broken(NoisySgnht(false)) == "Q = -Q'; ");
  CHECK(broken(NoisySgnht(true)) == "N N' = D; ");
}
