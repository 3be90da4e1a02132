// Targets with exact draws, and checks that tests of whole kernels make on them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "composing.hpp"

#include <mixwell/contracts/invariance.hpp>

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace sampling {

/// eps is large: 0.6 to 0.8 of leapfrog's stability limit, so that every mistake shows.
struct Target {
  const char* name;
  const char* model;
  double eps;
};

inline const std::vector<Target>& targets() {
  static const std::vector<Target> all = {
      {"identity Gaussian", "use = \"gaussian\"\ndimension = 2\n", 1.3},
      {"shifted diagonal Gaussian",
       "use = \"gaussian\"\ndimension = 3\nmean = [1, -2, 3]\ncovariance = \"diagonal\"\n"
       "variances = [1, 4, 0.5]\n",
       1.1},
      {"ones-plus Gaussian, d = 10",
       "use = \"gaussian\"\ndimension = 10\ncovariance = \"ones-plus\"\nc = 4.0\n", 2.6},
      {"geometric Gaussian",
       "use = \"gaussian\"\ndimension = 4\ncovariance = \"geometric\"\n"
       "condition = 25.0\n",
       0.3},
      {"quartic, d = 1", "use = \"quartic\"\ndimension = 1\n", 0.9},
      {"quartic, d = 2", "use = \"quartic\"\ndimension = 2\n", 0.9},
      {"double well", "use = \"double-well\"\ndimension = 2\n", 0.4},
  };
  return all;
}

/// Curved, funnelled, heavy-tailed and many-moded; eps is large enough for a mistake to show, small
/// enough to move.
inline const std::vector<Target>& difficult_targets() {
  static const std::vector<Target> all = {
      {"banana", "use = \"banana\"\n", 0.45},
      {"two bananas",
       "use = \"banana\"\ndimension = 4\nscale = 2\ncurvature = -0.2\nvariance = 1\n", 0.9},
      {"funnel", "use = \"funnel\"\ndimension = 3\nscale = 1\n", 0.9},
      {"Student t", "use = \"student-t\"\ndimension = 2\n", 1.5},
      {"shifted Student t",
       "use = \"student-t\"\ncovariance = \"diagonal\"\nvariances = [1, 4]\nmean = [1, -2]\n"
       "degrees_of_freedom = 8\n",
       1.5},
      {"two normals", "use = \"gaussian-mixture\"\n", 1.3},
      {"three normals",
       "use = \"gaussian-mixture\"\nweights = [1, 2, 1]\nmeans = [-2, 0, 3]\nsd = [1, 0.5, 2]\n",
       0.8},
  };
  return all;
}

inline std::vector<Target> all_targets() {
  std::vector<Target> all = targets();
  all.insert(all.end(), difficult_targets().begin(), difficult_targets().end());
  return all;
}

/// A correlated, a light-tailed and a bimodal target: together they detect every mistake. Where all
/// targets would take minutes, every test run uses these three, and the nightly run uses all.
inline std::vector<Target> few_targets() { return {targets()[2], targets()[5], targets()[6]}; }

/// One test for right and wrong alike: 16384 replicates, 10 sweeps.
inline constexpr mixwell::contracts::InvarianceOptions usual_test{.replicates = 16384,
                                                                  .sweeps = 10};
/// For a mistake that the options above miss: twice as many replicates.
inline constexpr mixwell::contracts::InvarianceOptions fine_test{.replicates = 32768, .sweeps = 10};

inline mixwell::Composition on(const Target& target, const std::string& rest) {
  return composing::compose("[model.target]\n" + std::string(target.model) + rest);
}

inline void expect_right(const mixwell::contracts::Findings& findings) {
  INFO(mixwell::contracts::report(findings));
  CHECK(mixwell::contracts::all_hold(findings));
}

inline void expect_caught(const mixwell::contracts::Findings& findings) {
  INFO(mixwell::contracts::report(findings));
  CHECK_FALSE(mixwell::contracts::all_hold(findings));
}

}  // namespace sampling
