// Blocks against exact draws and known moments, and mutants of blocks.
// SPDX-License-Identifier: Apache-2.0
#include "coordinates.hpp"
#include "testing.hpp"

#include <mixwell/lab/sampler.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <string>
#include <vector>

using namespace mixwell;
using sampling::expect_caught;
using sampling::expect_right;
using sampling::Target;
using sampling::usual_test;

namespace {

const std::string kernels =
    "[estimator.identity]\nuse = \"identity\"\n"
    "[kernel.hmc]\nuse = \"hamiltonian\"\nstep_size = 0.4\nsteps = 3\n"
    "[kernel.walk]\nuse = \"random-walk-metropolis\"\nstep_size = 0.6\n";

std::string update(const std::string& parameters, const std::string& kernel,
                   const std::string& more = "") {
  return "[[compositor.c.update]]\nparameters = [\"" + parameters + "\"]\nkernel = \"" + kernel +
         "\"\n" + more;
}

std::string blocks(const std::string& keys, const std::string& updates) {
  return kernels + "[compositor.c]\nuse = \"blocks\"\n" + keys + updates;
}

/// All coordinates have correlations of 0.8, so a block that uses wrong values of the rest fails.
const Target correlated = {
    "ones-plus Gaussian",
    "use = \"gaussian\"\ndimension = 5\ncovariance = \"ones-plus\"\nc = 0.25\n", 0.0};

const std::string two = update("x[0:2]", "hmc") + update("x[2:]", "walk");
const std::string overlapping = update("x[0:3]", "hmc") + update("x[2:]", "walk");

contracts::Findings check(const Target& target, const std::string& body,
                          const contracts::InvarianceOptions& options = usual_test) {
  return contracts::check_invariance(sampling::on(target, body), options);
}

}  // namespace

TEST_CASE("blocks keep a correlated Gaussian and a curved law, in a given and in a random order") {
  for (const std::string& updates : {two, overlapping}) {
    expect_right(check(correlated, blocks("", updates)));
    expect_right(check(correlated, blocks("scan = \"random\"\n", updates)));
  }
  expect_right(check({"banana", "use = \"banana\"\n", 0.0},
                     blocks("", update("x[0]", "hmc") + update("x[1]", "walk"))));
  expect_right(check(correlated,
                     blocks("", update("x[0:2]", "hmc", "every = 2\n") + update("x[2:]", "walk"))));
}

TEST_CASE("blocks given the rest as it was before the sweep are caught") {
  expect_caught(check(correlated, blocks("scan = \"simultaneous\"\n", two)));
}

TEST_CASE("a scale of one block from the past of another is biased, and caught") {
  const Target plane = {"correlated plane",
                        "use = \"gaussian\"\ndimension = 2\ncovariance = \"ones-plus\"\nc = 0.25\n",
                        0.0};
  const auto body = [](const std::string& keys) {
    return kernels + "[compositor.c]\nuse = \"wrong-blocks\"\nkernel = \"walk\"\n" + keys;
  };
  const auto verdict = [&](const std::string& keys) {
    return compose(*sampling::on(plane, body(keys)).compositor).certificate.now;
  };
  CHECK(verdict("").label() == "exact");
  expect_right(check(plane, body("")));
  for (const char* const window : {"50", "1"}) {
    const Verdict now =
        verdict("mistake = \"scale-of-past\"\nwindow = " + std::string(window) + "\n");
    CHECK(now.label() == "biased");
    CHECK(now.proved);
    CHECK(now.rule == Rule::past_of_others);
  }
  expect_caught(check(plane, body("mistake = \"scale-of-past\"\nwindow = 1\n")));
}

// |z| <= 5 for 30 statistics: false alarm below 2e-5 for the case.
TEST_CASE("Gibbs by blocks from far away has the moments of a correlated Gaussian") {
  const std::string run =
      "[run]\nseed = 3\nreplicates = 64\nwarmup = 300\ndraws = 3000\n"
      "[model.target]\n";
  const std::string learning =
      "[kernel.trees]\nuse = \"nuts\"\n"
      "[kernel.walk]\nuse = \"random-walk-metropolis\"\ntarget_acceptance = 0.35\n"
      "[estimator.diagonal]\nuse = \"diagonal\"\n"
      "[compositor.c]\nuse = \"blocks\"\n";
  const auto x = sampling::coordinates(
      composing::compose(run +
                         "use = \"gaussian\"\ndimension = 5\ncovariance = \"ones-plus\"\nc = 1.0\n"
                         "mean = [1, 2, 3, 4, 5]\n" +
                         learning + update("x[0:3]", "trees") + update("x[3:]", "walk")));
  REQUIRE(x.size() == 5);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Eigen::MatrixXd centred = x[i].array() - static_cast<double>(i + 1);
    INFO("coordinate " << i);
    CHECK(std::abs(sampling::z_of_mean(centred, 0.0)) <= 5.0);
    CHECK(std::abs(sampling::z_of_mean(centred.array().square(), 2.0)) <= 5.0);
    CHECK(std::abs(sampling::z_of_mean(centred.array().cube(), 0.0)) <= 5.0);
    for (std::size_t k = 0; k < i; ++k) {
      const Eigen::MatrixXd other = x[k].array() - static_cast<double>(k + 1);
      CHECK(std::abs(sampling::z_of_mean(centred.cwiseProduct(other), 1.0)) <= 5.0);
    }
  }
}
