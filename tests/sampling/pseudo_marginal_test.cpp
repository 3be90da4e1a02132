// Samplers that use an unbiased estimate of the density, against exact draws.
// SPDX-License-Identifier: Apache-2.0
#include "testing.hpp"

#include <string>

using mixwell::contracts::check_invariance;
using sampling::expect_caught;
using sampling::expect_right;
using sampling::Target;
using sampling::usual_test;

namespace {

/// Few samples: the standard deviation of the log of the estimate is about 1.
const Target effects = {"random effects",
                        "use = \"random-effects\"\nvalues = [1.3, -2.4, 2.2, 0.9, 3.7]\n"
                        "sds = [0.5, 0.5, 0.6, 0.4, 0.5]\nsamples = 2\n",
                        0.0};

/// Data with as much information as the prior, whose mean is 0.
const Target weak = {"random effects with weak data",
                     "use = \"random-effects\"\nvalues = [0.8, -0.5, 1.2]\nsds = [1, 1, 1]\n"
                     "prior_sd = 0.8\nsamples = 4\n",
                     0.0};

}  // namespace

TEST_CASE("walks by an estimate that is kept have the exact posterior") {
  for (const char* kernel : {"use = \"random-walk-metropolis\"\n",
                             "use = \"random-walk-metropolis\"\nestimate_correlation = 0.8\n",
                             "use = \"metropolis-gaussian\"\nmean = \"current\"\n"}) {
    INFO(kernel);
    expect_right(check_invariance(
        sampling::on(effects, "[kernel.k]\nstep_size = 0.8\n" + std::string(kernel)), usual_test));
  }
}

TEST_CASE("estimates that are made anew, or not kept with the state, are caught") {
  const auto check = [](const std::string& mistake) {
    return check_invariance(sampling::on(effects,
                                         "[run]\nallow = [\"biased\"]\n[kernel.k]\nuse = "
                                         "\"wrong-pseudo-marginal\"\nstep = 0.8\nmistake = \"" +
                                             mistake + "\"\n"),
                            usual_test);
  };
  expect_right(check("none"));
  for (const char* mistake : {"anew", "declared-anew", "rejected-normals"}) {
    INFO(mistake);
    expect_caught(check(mistake));
  }
}

TEST_CASE("Crank-Nicolson steps by an estimate that is kept have the exact posterior") {
  for (const char* correlation : {"0.0", "0.8"}) {
    INFO(correlation);
    expect_right(check_invariance(
        sampling::on(weak, "[kernel.k]\nuse = \"pcn\"\nstep_size = 1.0\nestimate_correlation = " +
                               std::string(correlation) + "\n"),
        usual_test));
  }
}

TEST_CASE("Crank-Nicolson steps by an estimate made anew, or with the prior in it, are caught") {
  const auto check = [](const std::string& mistake) {
    return check_invariance(
        sampling::on(weak,
                     "[kernel.k]\nuse = \"wrong-pseudo-marginal\"\ncrank_nicolson = true\n"
                     "prior_sd = 0.8\nstep = 1.0\nmistake = \"" +
                         mistake + "\"\n"),
        usual_test);
  };
  expect_right(check("none"));
  for (const char* mistake : {"anew", "prior-in-ratio"}) {
    INFO(mistake);
    expect_caught(check(mistake));
  }
}
