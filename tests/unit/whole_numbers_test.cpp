// Parameters that take whole numbers: where they start, what is recorded, and which kernels may
// move them.
// SPDX-License-Identifier: Apache-2.0
#include "composing.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/lab/sampler.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

using namespace mixwell;

namespace {

std::string update(const std::string& parameters, const std::string& kernel) {
  return "[[compositor.c.update]]\nparameters = " + parameters + "\nkernel = \"" + kernel + "\"\n";
}

/// k takes 1 to 5.
const std::string model =
    "[model.m]\nuse = \"changepoint\"\ncounts = [4, 5, 2, 1, 0, 1]\n"
    "[kernel.gibbs]\nuse = \"gibbs\"\n[kernel.hmc]\nuse = \"hamiltonian\"\nstep_size = 0.2\n"
    "[kernel.ellipse]\nuse = \"elliptical-slice\"\n"
    "[compositor.c]\nuse = \"blocks\"\n";
const std::string right = update("[\"k\"]", "gibbs") + update("[\"before\", \"after\"]", "hmc");

std::string refusal(const std::string& body) {
  try {
    const Composition c = composing::compose(body);
    Sampler sampler(c.compositor, c.run, compose(*c.compositor));
    sampler.initialise();
    return "accepted";
  } catch (const InputError& fault) {
    return fault.what();
  }
}

}  // namespace

TEST_CASE("whole numbers start, stay and are recorded as whole numbers within their bounds") {
  for (const char* const start : {"", "init = { uniform = 0.3 }\n", "init = \"prior\"\n"}) {
    INFO(start);
    const Composition c = composing::compose("[run]\nreplicates = 40\nwarmup = 5\n" +
                                             std::string(start) + model + right);
    Sampler sampler(c.compositor, c.run, compose(*c.compositor));
    sampler.initialise();
    for (int sweep = 0; sweep < 20; ++sweep) {
      const Eigen::ArrayXd k = sampler.position("theta").row(0).transpose();
      CHECK((k == k.round()).all());
      CHECK(k.minCoeff() >= 1.0);
      CHECK(k.maxCoeff() <= 5.0);
      sampler.advance(PhaseKind::sampling, 1);
    }
    const auto& records = sampler.graph(PhaseKind::sampling).records();
    const auto found = std::find_if(records.begin(), records.end(),
                                    [](const Record& record) { return record.name == "k"; });
    REQUIRE(found != records.end());
    CHECK(found->type == RecordType::integer);
  }
}

TEST_CASE("who cannot move a whole number is refused by name, and so is a start between two") {
  const auto says = [](const std::string& body, const std::string& words) {
    INFO(words);
    CHECK_THAT(refusal(body), Catch::Contains(words));
  };
  says(model + right, "accepted");
  says(model + update("[\"k\"]", "hmc") + update("[\"before\", \"after\"]", "hmc"),
       "operation `hmc/accept` is for real numbers, but it moves `k`, whose values are "
       "integers from 1 to 5");
  says(model + update("[\"k\", \"before\", \"after\"]", "hmc"),
       "moves `k`, whose values are integers");
  says(model + update("[\"k\"]", "gibbs") + update("[\"before\", \"after\"]", "gibbs"),
       "every value of `before`, which is not possible here: this parameter takes real numbers. "
       "Use kernel "
       "`slice`");
  says(model + update("[\"k\"]", "gibbs") + update("[\"before\", \"after\"]", "ellipse"),
       "the target density of `before, after` has no Gaussian prior that is separate from a "
       "likelihood");
  says("[run]\ninit = { value = [2.5, 0, 0] }\n" + model + right,
       "`k` of replicate 0 is 2.5, but it must be a whole number from 1 to 5");
  says("[run]\ninit = { value = [6, 0, 0] }\n" + model + right,
       "is 6, but it must be a whole number");
}
