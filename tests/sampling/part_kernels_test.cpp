// Kernels for targets without a gradient, with a Gaussian prior, or on whole numbers, against known
// answers.
// SPDX-License-Identifier: Apache-2.0
#include "coordinates.hpp"
#include "testing.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <cmath>
#include <string>
#include <vector>

using namespace mixwell;
using sampling::coordinates;
using sampling::expect_caught;
using sampling::expect_right;
using sampling::usual_test;
using sampling::z_of_mean;

namespace {

std::string update(const std::string& parameters, const std::string& kernel) {
  return "[[compositor.c.update]]\nparameters = " + parameters + "\nkernel = \"" + kernel + "\"\n";
}

const std::string schools =
    "[model.m]\nuse = \"normal-groups\"\nvalues = [28, 8, -3, 7]\nsds = [15, 10, 16, 11]\n"
    "tau_shape = 3\ntau_scale = 150\n";

/// A short history of counts, with a change after the fifth.
const std::string changes =
    "[model.m]\nuse = \"changepoint\"\ncounts = [4, 5, 2, 6, 3, 1, 0, 2, 1, 0, 1]\n";

const std::array<double, 7> values = {-2.1, -1.2, -0.3, 0.4, 1.8, 2.2, 3.0};

const std::string mixture =
    "[model.m]\nuse = \"labelled-mixture\"\nvalues = [-2.1, -1.2, -0.3, 0.4, 1.8, 2.2, 3.0]\n"
    "weights = [0.3, 0.7]\n";

/// E mean_k and E mean_k^2 by enumerating all labels.
struct MixtureAnswers {
  std::array<double, 2> mean{};
  std::array<double, 2> square{};
  double label = 0.0;  ///< of the fourth case

  MixtureAnswers() {
    double total = 0.0;
    for (unsigned labels = 0; labels < 1U << values.size(); ++labels) {
      double log_weight = 0.0;
      std::array<double, 2> precision = {1.0 / 9.0, 1.0 / 9.0};
      std::array<double, 2> sum{};
      for (std::size_t n = 0; n < values.size(); ++n) {
        const std::size_t k = labels >> n & 1U;
        log_weight += std::log(k == 0 ? 0.3 : 0.7) - 0.5 * values[n] * values[n];
        precision[k] += 1.0;
        sum[k] += values[n];
      }
      for (std::size_t k = 0; k < 2; ++k) {
        log_weight += 0.5 * sum[k] * sum[k] / precision[k] - 0.5 * std::log(precision[k]);
      }
      const double w = std::exp(log_weight);
      total += w;
      label += w * (labels >> 3 & 1U);
      for (std::size_t k = 0; k < 2; ++k) {
        const double m = sum[k] / precision[k];
        mean[k] += w * m;
        square[k] += w * (m * m + 1.0 / precision[k]);
      }
    }
    label /= total;
    for (std::size_t k = 0; k < 2; ++k) {
      mean[k] /= total;
      square[k] /= total;
    }
  }
};

}  // namespace

TEST_CASE("slices keep the laws of all targets") {
  const std::string slice = "[kernel.k]\nuse = \"slice\"\nwidth = 1.5\n";
  for (const sampling::Target& target : sampling::few_targets()) {
    INFO(target.name);
    expect_right(contracts::check_invariance(sampling::on(target, slice), usual_test));
  }
  expect_right(contracts::check_invariance(
      composing::compose("[model.m]\nuse = \"funnel\"\ndimension = 3\nscale = 1\n"
                         "[kernel.k]\nuse = \"slice\"\nwidth = 0.2\nmost_steps = 3\n"),
      usual_test));
}

TEST_CASE("a changepoint keeps its law by draws, by evaluations of all values, and by slices") {
  const std::string kernels =
      "[kernel.draw]\nuse = \"conditional\"\n[kernel.slice]\nuse = \"slice\"\n"
      "[kernel.gibbs]\nuse = \"gibbs\"\n[kernel.plain]\nuse = \"gibbs\"\nmetropolised = false\n"
      "[compositor.c]\nuse = \"blocks\"\n";
  const auto check = [&](const std::string& updates) {
    return contracts::check_invariance(composing::compose(changes + kernels + updates), usual_test);
  };
  const std::string rates = "[\"before\", \"after\"]";
  expect_right(check(update("[\"k\"]", "draw") + update(rates, "draw")));
  expect_right(check(update("[\"k\"]", "gibbs") + update(rates, "slice")));
  expect_right(check(update(rates, "draw") + update("[\"k\"]", "plain")));
}

TEST_CASE("a Metropolised draw that is always taken is caught") {
  const auto body = [](const std::string& mistake) {
    return changes + "[kernel.draw]\nuse = \"conditional\"\n[kernel.k]\nuse = \"wrong-gibbs\"\n" +
           "mistake = \"" + mistake + "\"\n[compositor.c]\nuse = \"blocks\"\n" +
           update("[\"k\"]", "k") + update("[\"before\", \"after\"]", "draw");
  };
  expect_right(contracts::check_invariance(composing::compose(body("none")), usual_test));
  expect_caught(contracts::check_invariance(composing::compose(body("always")), usual_test));
}

// |z| <= 5 for 5 statistics of each: false alarm below 2e-5 for the case.
TEST_CASE("a mixture with labels has the means that enumerating all labels gives") {
  const MixtureAnswers wanted;
  const std::string run = "[run]\nseed = 6\nreplicates = 32\nwarmup = 200\ndraws = 4000\n";
  const std::string kernels =
      "[kernel.draw]\nuse = \"conditional\"\n[kernel.gibbs]\nuse = \"gibbs\"\n"
      "[kernel.hmc]\nuse = \"hamiltonian\"\nstep_size = 0.4\nsteps = 4\n"
      "[compositor.c]\nuse = \"blocks\"\n";
  for (const std::string& updates :
       {update("[\"label\"]", "draw") + update("[\"mean\"]", "draw"),
        update("[\"label\"]", "gibbs") + update("[\"mean\"]", "hmc")}) {
    INFO(updates);
    const auto x = coordinates(composing::compose(run + mixture + kernels + updates));
    REQUIRE(x.size() == 9);
    for (std::size_t k = 0; k < 2; ++k) {
      CHECK(std::abs(z_of_mean(x[k], wanted.mean[k])) <= 5.0);
      CHECK(std::abs(z_of_mean(x[k].array().square(), wanted.square[k])) <= 5.0);
    }
    CHECK(std::abs(z_of_mean(x[5], wanted.label)) <= 5.0);
  }
}

// |z| <= 5 for 6 statistics of each: false alarm below 3e-5 for the case.
TEST_CASE("steps that know a Gaussian prior find the posterior that conjugate draws find") {
  const std::string run = "[run]\nseed = 9\nreplicates = 32\nwarmup = 300\ndraws = 4000\n";
  const auto of = [&](const std::string& kernel) {
    return coordinates(composing::compose(
        run + schools + "[kernel.draw]\nuse = \"conditional\"\n[kernel.theta]\nuse = \"" + kernel +
        "\"\n[compositor.c]\nuse = \"blocks\"\n" + update("[\"theta\"]", "theta") +
        update("[\"mu\"]", "draw") + update("[\"tau\"]", "draw")));
  };
  const auto wanted = of("conditional");
  for (const char* const kernel : {"elliptical-slice", "pcn", "slice"}) {
    INFO(kernel);
    const auto found = of(kernel);
    const auto z = [&](const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
      return (diagnostics::mean(a) - diagnostics::mean(b)) /
             std::hypot(diagnostics::mcse_mean(a), diagnostics::mcse_mean(b));
    };
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}, std::size_t{2}}) {
      CHECK(std::abs(z(found[i], wanted[i])) <= 5.0);
      CHECK(std::abs(z(found[i].array().square(), wanted[i].array().square())) <= 5.0);
    }
  }
}
