// The kernel `conditional`: its draws are tested against the density operation by operation, wrong
// draws are detected, and what a model does not offer is refused.
// SPDX-License-Identifier: Apache-2.0
#include "composing.hpp"
#include "verify/operations.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/lab/sampler.hpp>

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace mixwell;
using composing::refusal;
using composing::verdict;

namespace {

std::string update(const std::string& parameters, const std::string& kernel) {
  return "[[compositor.c.update]]\nparameters = " + parameters + "\nkernel = \"" + kernel + "\"\n";
}

std::string blocks(const std::string& model, const std::string& updates) {
  return "[model.m]\n" + model + "[estimator.identity]\nuse = \"identity\"\n" +
         "[kernel.draw]\nuse = \"conditional\"\n"
         "[kernel.hmc]\nuse = \"hamiltonian\"\nstep_size = 0.3\nsteps = 4\n"
         "[compositor.c]\nuse = \"blocks\"\n" +
         updates;
}

const std::string schools =
    "use = \"normal-groups\"\nvalues = [28, 8, -3, 7, -1, 1, 18, 12]\n"
    "sds = [15, 10, 16, 11, 9, 11, 10, 18]\n";

std::string with_mistake(const std::string& mistake) {
  return blocks("use = \"wrong-conditionals\"\nmistake = \"" + mistake + "\"\n",
                update("[\"m\"]", "draw") + update("[\"l\"]", "draw"));
}

/// Names of the operations that fail at an error rate of 1e-6 in all.
std::vector<std::string> failing(const std::string& manifest) {
  std::vector<std::string> names;
  for (const VerifiedOperation& o : check_operations(composing::compose(manifest), 0, 1e-6).found) {
    const bool known = !names.empty() && names.back() == o.operation;
    if (o.failed && !known) names.push_back(o.operation);
  }
  return names;
}

}  // namespace

TEST_CASE("draws given the rest keep their laws, and wrong ones are found where they are") {
  using Names = std::vector<std::string>;
  CHECK(failing(with_mistake("none")) == Names{});
  CHECK(failing(with_mistake("wrong-shape")) == Names{"draw2/draw"});
  CHECK(failing(with_mistake("no-jacobian")) == Names{"draw2/draw"});
  CHECK(failing(with_mistake("variance-for-sd")) == Names{"draw/draw"});
  CHECK(failing(with_mistake("prior-mean")) == Names{"draw/draw"});
}

TEST_CASE("every conditional law of the eight schools is drawn from") {
  CHECK(failing(blocks(schools, update("[\"mu\"]", "draw") + update("[\"tau\"]", "draw") +
                                    update("[\"theta\"]", "draw") +
                                    update("[\"mu\", \"theta\"]", "draw")))
            .empty());
}

TEST_CASE(
    "conditional draws beside trajectories are exact, on the model's word alone if it is foreign") {
  const Verdict mixed =
      verdict(blocks(schools, update("[\"mu\", \"theta\"]", "draw") + update("[\"tau\"]", "hmc")));
  CHECK(mixed.label() == "exact");
  CHECK(mixed.evidence() == Evidence::proved);
  const Verdict foreign = verdict(with_mistake("none"));
  CHECK(foreign.label() == "exact");
  CHECK(foreign.evidence() == Evidence::declared);
}

TEST_CASE("a draw that the model does not offer is refused, with those that it does") {
  const std::string some =
      refusal(blocks(schools, update("[\"mu\", \"tau\"]", "draw") + update("[\"theta\"]", "hmc")));
  CHECK_THAT(some,
             Catch::Contains("`m` offers no exact draw of [mu, tau] given the other parameters"));
  CHECK_THAT(some, Catch::Contains("[mu], [tau], [theta], [mu, theta]"));
  CHECK_THAT(some, Catch::Contains("test.toml:"));
  const std::string whole =
      refusal("[model.m]\n" + schools + "[kernel.draw]\nuse = \"conditional\"\n");
  CHECK_THAT(whole,
             Catch::Contains("no exact draw of [mu, tau, theta] given the other parameters"));
  const std::string none =
      refusal(blocks("use = \"gaussian\"\ndimension = 2\n",
                     update("[\"x[0]\"]", "draw") + update("[\"x[1]\"]", "hmc")));
  CHECK_THAT(none,
             Catch::Contains(
                 "the target density of `x[0]` offers no exact draws given the other parameters"));
}

TEST_CASE("a conditional draw evaluates nothing") {
  const Composition c = composing::compose(
      "[run]\nreplicates = 3\n" +
      blocks(schools, update("[\"mu\", \"theta\"]", "draw") + update("[\"tau\"]", "draw")));
  Sampler sampler(c.compositor, c.run, compose(*c.compositor));
  sampler.initialise();
  const double before = sampler.gradients();
  sampler.advance(PhaseKind::sampling, 10);
  CHECK(sampler.gradients() == before);
}
