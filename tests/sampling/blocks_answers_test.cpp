// Posteriors of applied models sampled by blocks, against quadrature and whole trajectories.
// SPDX-License-Identifier: Apache-2.0
#include "composing.hpp"
#include "coordinates.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <cmath>
#include <string>
#include <vector>

using namespace mixwell;
using sampling::coordinates;
using sampling::z_of_mean;

namespace {

std::string update(const std::string& parameters, const std::string& kernel,
                   const std::string& more = "") {
  return "[[compositor.c.update]]\nparameters = " + parameters + "\nkernel = \"" + kernel + "\"\n" +
         more;
}

/// The eight schools, given log tau: mu and theta are normal.
class Schools {
 public:
  static constexpr std::array<double, 8> y = {28, 8, -3, 7, -1, 1, 18, 12};
  static constexpr std::array<double, 8> sd = {15, 10, 16, 11, 9, 11, 10, 18};
  static constexpr double prior_variance = 100.0;
  static constexpr double shape = 1.0;
  static constexpr double scale = 25.0;

  struct Answers {
    double log_tau = 0.0, log_tau_squared = 0.0;
    double mu = 0.0, mu_squared = 0.0;
    double theta = 0.0, theta_squared = 0.0;  ///< of the first school
  };

  /// By the trapezoidal rule in log tau.
  static Answers answers() {
    Answers sum;
    double total = 0.0;
    for (int k = 0; k <= 4000; ++k) {
      const double l = -6.0 + 0.003 * k;
      const At at(l);
      const double w = std::exp(at.log_weight);
      total += w;
      sum.log_tau += w * l;
      sum.log_tau_squared += w * l * l;
      sum.mu += w * at.mu;
      sum.mu_squared += w * (at.mu * at.mu + at.mu_variance);
      sum.theta += w * at.theta;
      sum.theta_squared += w * (at.theta * at.theta + at.theta_variance);
    }
    for (double* one : {&sum.log_tau, &sum.log_tau_squared, &sum.mu, &sum.mu_squared, &sum.theta,
                        &sum.theta_squared}) {
      *one /= total;
    }
    return sum;
  }

 private:
  struct At {
    explicit At(double l) {
      const double tau2 = std::exp(2.0 * l);
      double precision = 1.0 / prior_variance;
      double weighted = 0.0;
      log_weight = -2.0 * shape * l - scale / tau2;
      for (std::size_t j = 0; j < y.size(); ++j) {
        const double v = sd[j] * sd[j] + tau2;
        precision += 1.0 / v;
        weighted += y[j] / v;
        log_weight -= 0.5 * std::log(v) + 0.5 * y[j] * y[j] / v;
      }
      mu = weighted / precision;
      mu_variance = 1.0 / precision;
      log_weight += 0.5 * weighted * mu - 0.5 * std::log(precision);
      const double own = 1.0 / (sd[0] * sd[0]);
      const double shrink = 1.0 / tau2 / (own + 1.0 / tau2);
      theta = shrink * mu + (1.0 - shrink) * y[0];
      theta_variance = 1.0 / (own + 1.0 / tau2) + shrink * shrink * mu_variance;
    }
    double log_weight, mu, mu_variance, theta, theta_variance;
  };
};

const std::string schools =
    "[run]\nseed = 4\nreplicates = 32\nwarmup = 500\ndraws = 4000\n"
    "[model.m]\nuse = \"normal-groups\"\nvalues = [28, 8, -3, 7, -1, 1, 18, 12]\n"
    "sds = [15, 10, 16, 11, 9, 11, 10, 18]\n";
const std::string kernels =
    "[kernel.draw]\nuse = \"conditional\"\n"
    "[kernel.trees]\nuse = \"nuts\"\n"
    "[kernel.walk]\nuse = \"random-walk-metropolis\"\ntarget_acceptance = 0.44\n"
    "[compositor.c]\nuse = \"blocks\"\n";

}  // namespace

// |z| <= 5 for 6 statistics of each: false alarm below 2e-5 for the case.
TEST_CASE(
    "the eight schools have their posterior by conjugate draws, beside trajectories, and whole") {
  const Schools::Answers wanted = Schools::answers();
  const std::string trees = "[kernel.trees]\nuse = \"nuts\"\ntarget_acceptance = 0.9\n";
  const std::vector<std::string> compositions = {
      kernels + update("[\"mu\"]", "draw") + update("[\"tau\"]", "draw") +
          update("[\"theta\"]", "draw"),
      kernels + update("[\"mu\", \"theta\"]", "draw") + update("[\"tau\"]", "walk"),
      kernels + update("[\"tau\"]", "walk", "without = [\"theta\"]\n") +
          update("[\"theta\"]", "draw") + update("[\"mu\"]", "draw"),
      kernels + update("[\"theta\"]", "trees") + update("[\"mu\"]", "draw") +
          update("[\"tau\"]", "draw"),
      trees + "[compositor.c]\nuse = \"chain\"\nkernel = \"trees\"\n"};
  for (const std::string& composition : compositions) {
    INFO(composition);
    const auto x = coordinates(composing::compose(schools + composition));
    REQUIRE(x.size() == 10);
    const Eigen::MatrixXd log_tau = x[1].array().log();
    CHECK(std::abs(z_of_mean(x[0], wanted.mu)) <= 5.0);
    CHECK(std::abs(z_of_mean(x[0].array().square(), wanted.mu_squared)) <= 5.0);
    CHECK(std::abs(z_of_mean(log_tau, wanted.log_tau)) <= 5.0);
    CHECK(std::abs(z_of_mean(log_tau.array().square(), wanted.log_tau_squared)) <= 5.0);
    CHECK(std::abs(z_of_mean(x[2], wanted.theta)) <= 5.0);
    CHECK(std::abs(z_of_mean(x[2].array().square(), wanted.theta_squared)) <= 5.0);
  }
}

namespace {

/// z-score of the difference of two means, each with the error of dependent draws.
double z_of_difference(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return (diagnostics::mean(a) - diagnostics::mean(b)) /
         std::hypot(diagnostics::mcse_mean(a), diagnostics::mcse_mean(b));
}

}  // namespace

// |z| <= 5 for 9 statistics of each: false alarm below 2e-5 for the case.
TEST_CASE("a probit by latent variables has the posterior that trajectories give without them") {
  const std::string run = "[run]\nseed = 8\nreplicates = 16\nwarmup = 300\ndraws = 4000\n";
  const std::string cases = "cases = 60\ndimension = 2\nprior_variance = 4\n";
  const std::string latent = run + "[model.m]\nuse = \"probit-latent\"\n" + cases + kernels;
  const auto whole = coordinates(composing::compose(
      run + "[model.m]\nuse = \"probit-regression\"\n" + cases + "[kernel.k]\nuse = \"nuts\"\n"));
  REQUIRE(whole.size() == 3);
  for (const char* const kernel : {"draw", "trees"}) {
    INFO("coefficients by " << kernel);
    const auto x = coordinates(composing::compose(latent + update("[\"latent\"]", "draw") +
                                                  update("[\"intercept\", \"beta\"]", kernel)));
    REQUIRE(x.size() == 63);
    for (std::size_t i = 0; i < 3; ++i) {
      INFO("coefficient " << i);
      CHECK(std::abs(z_of_difference(x[i], whole[i])) <= 5.0);
      CHECK(std::abs(z_of_difference(x[i].array().square(), whole[i].array().square())) <= 5.0);
      const std::size_t k = (i + 1) % 3;
      CHECK(std::abs(z_of_difference(x[i].cwiseProduct(x[k]), whole[i].cwiseProduct(whole[k]))) <=
            5.0);
    }
  }
}
