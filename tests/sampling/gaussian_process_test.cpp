// Kernels that use a Gaussian prior, on functions seen through data, against exact draws and
// trajectories.
// SPDX-License-Identifier: Apache-2.0
#include "coordinates.hpp"
#include "testing.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <string>

using namespace mixwell;
using sampling::coordinates;
using sampling::expect_right;

namespace {

const std::string counts =
    "[model.m]\nuse = \"gaussian-process\"\ninputs = [-3, -1.5, -1, 0, 0.5, 2, 2.5, 4]\n"
    "values = [0, 1, 0, 3, 4, 6, 2, 1]\nobserved = \"poisson\"\nmean = 0.4\nsd = 1.2\n";

double z_of_difference(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return (diagnostics::mean(a) - diagnostics::mean(b)) /
         std::hypot(diagnostics::mcse_mean(a), diagnostics::mcse_mean(b));
}

}  // namespace

TEST_CASE(
    "steps that know the prior keep a function seen with normal noise, and linear regression") {
  const std::string noisy =
      "[model.m]\nuse = \"gaussian-process\"\ninputs = [-2, -1.2, 0, 0.3, 1.8]\n"
      "values = [1.2, 0.3, -0.4, 0.1, 2.0]\nnoise_sd = 0.7\nmean = 0.5\nsd = 1.5\n";
  const std::string regression =
      "[model.m]\nuse = \"linear-gaussian\"\ncases = 12\ndimension = 3\ncorrelation = 0.8\n";
  for (const std::string& model : {noisy, regression}) {
    for (const char* const kernel : {"elliptical-slice\"\n", "pcn\"\nstep_size = 0.5\n"}) {
      INFO(model << kernel);
      expect_right(contracts::check_invariance(
          composing::compose(model + "[kernel.k]\nuse = \"" + kernel), sampling::usual_test));
    }
  }
}

// |z| <= 5 for 24 statistics of each: false alarm below 3e-5 for the case.
TEST_CASE("counts of a smooth rate have one posterior by ellipses, by pCN and by trajectories") {
  const std::string run = "[run]\nseed = 11\nreplicates = 16\nwarmup = 300\ndraws = 3000\n";
  const auto of = [&](const std::string& kernel) {
    return coordinates(composing::compose(run + counts + "[kernel.k]\nuse = \"" + kernel));
  };
  const auto wanted = of("nuts\"\n");
  REQUIRE(wanted.size() == 8);
  for (const char* const kernel : {"elliptical-slice\"\n", "pcn\"\ntarget_acceptance = 0.3\n"}) {
    INFO(kernel);
    const auto found = of(kernel);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      INFO("f[" << i << "]");
      const auto& next = wanted[(i + 1) % wanted.size()];
      const auto& found_next = found[(i + 1) % found.size()];
      CHECK(std::abs(z_of_difference(found[i], wanted[i])) <= 5.0);
      CHECK(std::abs(z_of_difference(found[i].array().square(), wanted[i].array().square())) <=
            5.0);
      CHECK(std::abs(z_of_difference(found[i].cwiseProduct(found_next),
                                     wanted[i].cwiseProduct(next))) <= 5.0);
    }
  }
}

// |z| <= 5 for 9 statistics of each: false alarm below 2e-5 for the case.
TEST_CASE("coefficients of a probit have one posterior by ellipses, by pCN and by trajectories") {
  const std::string body =
      "[run]\nseed = 12\nreplicates = 16\nwarmup = 300\ndraws = 3000\n[model.m]\n"
      "use = \"probit-regression\"\ncases = 60\ndimension = 2\nprior_variance = 4\n[kernel.k]\n"
      "use = \"";
  const auto wanted = coordinates(composing::compose(body + "nuts\"\n"));
  for (const char* const kernel : {"elliptical-slice\"\n", "pcn\"\ntarget_acceptance = 0.3\n"}) {
    INFO(kernel);
    const auto found = coordinates(composing::compose(body + kernel));
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(std::abs(z_of_difference(found[i], wanted[i])) <= 5.0);
      CHECK(std::abs(z_of_difference(found[i].array().square(), wanted[i].array().square())) <=
            5.0);
      const std::size_t k = (i + 1) % 3;
      CHECK(std::abs(z_of_difference(found[i].cwiseProduct(found[k]),
                                     wanted[i].cwiseProduct(wanted[k]))) <= 5.0);
    }
  }
}
