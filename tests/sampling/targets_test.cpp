// The targets of difficult shape as targets: Hamiltonian Monte Carlo leaves them as they are, and
// without Metropolis it does not. Each right case fails by chance with probability 1e-6.
// SPDX-License-Identifier: Apache-2.0
#include "composing.hpp"

#include <mixwell/laws/invariance.hpp>

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using mixwell::laws::all_hold;
using mixwell::laws::check_invariance;
using mixwell::laws::report;

namespace {

/// eps is large enough for a mistake to show, small enough to move.
struct Target {
  const char* model;
  double eps;
};

const std::vector<Target>& targets() {
  static const std::vector<Target> all = {
      {"use = \"banana\"\n", 0.45},
      {"use = \"banana\"\ndimension = 4\nscale = 2\ncurvature = -0.2\nvariance = 1\n", 0.9},
      {"use = \"funnel\"\ndimension = 3\nscale = 1\n", 0.9},
      {"use = \"student-t\"\ndimension = 2\n", 1.5},
      {"use = \"student-t\"\ncovariance = \"diagonal\"\nvariances = [1, 4]\nmean = [1, -2]\n"
       "degrees_of_freedom = 8\n",
       1.5},
      {"use = \"gaussian-mixture\"\n", 1.3},
      {"use = \"gaussian-mixture\"\nweights = [1, 2, 1]\nmeans = [-2, 0, 3]\nsd = [1, 0.5, 2]\n",
       0.8},
  };
  return all;
}

mixwell::laws::Findings tested(const Target& target, const std::string& more) {
  const auto composition = composing::compose(
      "[model.target]\n" + std::string(target.model) +
      "[kernel.hmc]\nuse = \"hamiltonian\"\nsteps_jitter = [1, 7]\nstep_size = " +
      std::to_string(target.eps) + "\n" + more);
  return check_invariance(composition, {.replicates = 32768, .sweeps = 10});
}

}  // namespace

TEST_CASE("Hamiltonian Monte Carlo leaves targets of difficult shape invariant") {
  for (const Target& target : targets()) {
    const auto findings = tested(target, "");
    INFO(target.model << report(findings));
    CHECK(all_hold(findings));
  }
}

TEST_CASE("Hamiltonian Monte Carlo without Metropolis is caught on targets of difficult shape") {
  for (const Target& target : targets()) {
    const auto findings = tested(target, "metropolis = false\n");
    INFO(target.model << report(findings));
    CHECK_FALSE(all_hold(findings));
  }
}
