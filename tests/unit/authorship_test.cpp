// Whose declarations a certificate trusts: those of built-in components, which tests check, or
// those of an outside author.
// SPDX-License-Identifier: Apache-2.0
#include "composing.hpp"

#include <mixwell/lab/certificate.hpp>
#include <mixwell/lab/sampler.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace mixwell;

namespace {

const std::string plane = "[model.m]\nuse = \"gaussian\"\ndimension = 2\n";
const std::string hmc = "[kernel.k]\nuse = \"hamiltonian\"\nsteps = 10\n";
const std::string trajectory = "[estimator.identity]\nuse = \"identity\"\n" + hmc;

bool is_declared(const Verdict& v, const std::string& what) {
  return std::any_of(v.declared.begin(), v.declared.end(),
                     [&](const Assumption& one) { return one.in_words() == what; });
}

}  // namespace

TEST_CASE("what rests on built-in components alone is proved") {
  for (const std::string& manifest :
       {plane + trajectory, plane + "[kernel.k]\nuse = \"langevin\"\n",
        plane + "[oracle.o]\nuse = \"noisy\"\n[kernel.k]\nuse = \"langevin\"\n",
        plane + "[oracle.o]\nuse = \"noisy\"\n" + trajectory + "ratio = \"target\"\n",
        plane + "[oracle.o]\nuse = \"tempered\"\nbeta = 0.5\n" + trajectory,
        plane + "[estimator.e]\nuse = \"lbfgs\"\n" + hmc +
            "[compositor.c]\nuse = \"ensemble-chain\"\n"}) {
    const Verdict v = composing::verdict(manifest);
    INFO(manifest << v.reason);
    CHECK(v.accuracy != Accuracy::none);
    CHECK(v.evidence() == Evidence::proved);
  }
}

TEST_CASE("an integrator from outside is taken at its author's word by any kernel") {
  const std::string outside = "[integrator.i]\nuse = \"wrong-leapfrog\"\n";
  const Verdict v = composing::verdict(plane + outside + trajectory);
  CHECK(v.label() == "exact");
  CHECK(v.evidence() == Evidence::declared);
  CHECK(is_declared(v, "k/trajectory: involution"));
  CHECK(is_declared(v, "k/trajectory: volume"));
  const Verdict uncorrected = composing::verdict(
      plane + "[integrator.i]\nuse = \"wrong-langevin\"\n[kernel.k]\nuse = \"langevin\"\n");
  CHECK(uncorrected.evidence() == Evidence::declared);
  CHECK(is_declared(uncorrected, "k/step: order 1"));
}

TEST_CASE("an oracle from outside is taken at its author's word") {
  const Verdict v = composing::verdict(
      plane + "[oracle.o]\nuse = \"wrong-noise\"\n[kernel.k]\nuse = \"langevin\"\n");
  CHECK(v.label() == "asymptotic");
  CHECK(v.evidence() == Evidence::declared);
  CHECK(std::any_of(v.declared.begin(), v.declared.end(),
                    [](const Assumption& one) { return one.trait == "unbiased"; }));
}

TEST_CASE("an estimator from outside is taken at its author's word") {
  const Verdict v = composing::verdict(plane + "[estimator.e]\nuse = \"wrong-secant\"\n" + hmc +
                                       "[compositor.c]\nuse = \"ensemble-chain\"\n");
  CHECK(v.label() == "exact");
  CHECK(v.evidence() == Evidence::declared);
  CHECK(is_declared(v, "x0/k/curvature: curvature"));
}

TEST_CASE("how a model from outside grows is its author's word, and matters without Metropolis") {
  const std::string model = "[model.m]\nuse = \"wrong-precision\"\n";
  CHECK(composing::verdict(model + trajectory).evidence() == Evidence::proved);
  const Verdict v = composing::verdict(model + "[kernel.k]\nuse = \"langevin\"\n");
  CHECK(v.label() == "asymptotic");
  CHECK(v.evidence() == Evidence::declared);
  CHECK(std::any_of(v.declared.begin(), v.declared.end(),
                    [](const Assumption& one) { return one.trait == "gradient_growth"; }));
}
