// Preconditioned schemes on a Gaussian, where H is constant and the covariance of the discretised
// scheme is known, and PSGLD against a plain loop.
// SPDX-License-Identifier: Apache-2.0
#include "moments.hpp"

#include <Eigen/Dense>

#include <cmath>
#include <random>
#include <string>

using sampling::expect;
using sampling::label;
using sampling::Length;
using sampling::Moment;
using sampling::second_moment;

namespace {

constexpr double target_variance = 4.0;

std::string text(double x) { return std::to_string(x); }

std::string gaussian(int d) {
  std::string variances = "4";
  for (int k = 1; k < d; ++k) variances += ", 4";
  return "[model.m]\nuse = \"gaussian\"\ndimension = " + std::to_string(d) +
         "\ncovariance = \"diagonal\"\nvariances = [" + variances + "]\n";
}

/// theta' = (1 - eps H / var) theta + N(0, 2 eps H + eps^2 H^2 V).
double langevin_variance(double eps, double H, double V) {
  const double a = 1.0 - eps * H / target_variance;
  return (2.0 * eps * H + eps * eps * H * H * V) / (1.0 - a * a);
}

/// E theta^2 of theta' = theta + eps a p; p' = (1 - eps F) p - eps a (theta' / var + N(0, V)) +
/// N(0, 2 eps (F - D)): the solution of P = A P A' + Q.
double friction_variance(double eps, double a, double F, double V) {
  Eigen::Matrix2d A;
  A << 1.0, eps * a, -eps * a / target_variance,
      1.0 - eps * F - eps * a * eps * a / target_variance;
  Eigen::Matrix2d Q = Eigen::Matrix2d::Zero();
  Q(1, 1) = 2.0 * eps * F + eps * a * eps * a * V;
  Eigen::Matrix2d P = Q;
  for (int k = 0; k < 100000; ++k) P = A * P * A.transpose() + Q;
  return P(0, 0);
}

std::string noisy(double V) { return "[oracle.o]\nuse = \"noisy\"\nvariance = " + text(V) + "\n"; }

/// Two equal points make no pair, so that H stays gamma I.
std::string frozen(double gamma) {
  return "[estimator.e]\nuse = \"lbfgs\"\ngamma = " + text(gamma) +
         "\n[compositor.c]\nuse = \"ensemble-chain\"\nslots = 1\nmemory = \"own-history\"\n"
         "freeze_after_warmup = true\n";
}

}  // namespace

TEST_CASE("preconditioned SGHMC has the covariance of its discretisation") {
  constexpr double eps = 0.2;
  constexpr double gamma = 2.5;
  constexpr double F = 1.0;
  constexpr double V = 1.5;
  const auto with = [&](const std::string& coupling) {
    return gaussian(2) + noisy(V) + frozen(gamma) +
           "[integrator.i]\nuse = \"euler-maruyama-friction\"\nfriction = " + text(F) +
           "\n[kernel.k]\nuse = \"hamiltonian\"\nmetropolis = false\npersistence = 1\nsteps = 5\n"
           "step_size = " +
           text(eps) + "\ncoupling = \"" + coupling + "\"\n";
  };
  CHECK(label(with("symmetric")) == "asymptotic");
  expect(second_moment(with("symmetric"), {6000, 40, 60}),
         {friction_variance(eps, gamma, F, V), 0});
  expect(second_moment(with("factor"), {6000, 40, 60}),
         {friction_variance(eps, std::sqrt(gamma), F, V), 0});
  // A = H on one side only would be another scheme.
  CHECK(std::abs(friction_variance(eps, gamma, F, V) / friction_variance(eps, 1.0, F, V) - 1.0) >
        0.05);
}

TEST_CASE("HAMCMC in one dimension has the covariance of its discretisation") {
  // Every pair of a quadratic gives H = 1 / (1 / var + lambda), whatever its direction.
  constexpr double eps = 0.3;
  constexpr double V = 0.5;
  const double H = 1.0 / (1.0 / target_variance + 0.5);
  for (const std::string memory : {"displacements", "cross"}) {
    INFO(memory);
    const std::string body =
        gaussian(1) + noisy(V) +
        "[estimator.e]\nuse = \"lbfgs\"\nregularisation = 0.5\n"
        "eigenvalues = [0.01, 100.0]\n[kernel.k]\nuse = \"langevin\"\nstep_size = " +
        text(eps) + "\n[compositor.c]\nuse = \"lagged\"\nmemory = \"" + memory + "\"\n";
    CHECK(label(body) == "asymptotic");
    expect(second_moment(body, {6000, 100, 100}), {langevin_variance(eps, H, V), 0.0});
  }
}

TEST_CASE("PSGLD is what a plain loop does") {
  // U = theta^4 / 4: the loop has the derivative of gbar^2 at hand.
  struct Loop {
    double alpha, lambda, eps;
    bool gamma;

    Moment run(int chains, double before, double time) const {
      std::mt19937_64 random(5);
      std::normal_distribution<double> normal;
      const int from = static_cast<int>(before / eps);
      const int until = from + static_cast<int>(time / eps);
      Eigen::ArrayXd means(chains);
      for (int c = 0; c < chains; ++c) {
        double x = 0.8 * normal(random);
        double v = 0.0;
        double slope = 0.0;
        double sum = 0.0;
        for (int t = 0; t < until; ++t) {
          const double g = x * x * x;
          const double keep = std::min(alpha, t / (t + 1.0));
          const double v_next = keep * v + (1.0 - keep) * g * g;
          const double seen = gamma ? v : v_next;
          const bool waits = gamma && t < 1.0 / (1.0 - alpha);
          const double H = waits ? 0.0 : 1.0 / (lambda + std::sqrt(seen));
          const double drift = gamma && seen > 0.0 ? -H * H * slope / (2.0 * std::sqrt(seen)) : 0.0;
          slope = keep * slope + (1.0 - keep) * 2.0 * g * 3.0 * x * x;
          v = v_next;
          x += eps * (drift - H * g) + std::sqrt(2.0 * eps * H) * normal(random);
          if (t >= from) sum += x * x;
        }
        means(c) = sum / (until - from);
      }
      const double n = chains;
      return {means.mean(), std::sqrt((means - means.mean()).square().sum() / (n - 1) / n)};
    }
  };
  const std::string quartic = "[model.m]\nuse = \"quartic\"\ndimension = 1\n";
  for (const double eps : {0.01, 0.0025}) {
    for (const bool gamma : {false, true}) {
      INFO("eps = " << eps << (gamma ? ", whole Gamma" : ", no Gamma"));
      const std::string body =
          quartic + "[estimator.e]\nuse = \"rms-diagonal\"\nalpha = 0.9\nlambda = 0.1\ngamma = \"" +
          (gamma ? "stationary" : "none") +
          "\"\n[kernel.k]\nuse = \"langevin\"\nstep_size = " + text(eps) + "\n";
      const Length length{2000, static_cast<std::int64_t>(6 / eps),
                          static_cast<std::int64_t>(6 / eps)};
      expect(second_moment(body, length), Loop{0.9, 0.1, eps, gamma}.run(2000, 6.0, 6.0));
    }
  }
}
