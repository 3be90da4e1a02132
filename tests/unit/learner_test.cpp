// Dual averaging against its recursion, and at its target.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/kernel/learner.hpp>

#include <catch2/catch.hpp>

#include <cmath>

using namespace mixwell;

TEST_CASE("dual averaging follows its recursion") {
  const DualAveraging learner(0.5, 0.8);
  Eigen::MatrixXd state = learner.initial();
  CHECK(std::exp(state(DualAveraging::log_eps, 0)) == Approx(0.5));
  const double a[] = {0.9, 0.3, 1.0};
  double h = 0.0;
  double bar = std::log(0.5);
  for (int m = 1; m <= 3; ++m) {
    Eigen::MatrixXd input(1, 1);
    input << a[m - 1];
    learner.update(state, input);
    h += (0.8 - a[m - 1] - h) / (m + 10.0);
    const double log_eps = std::log(5.0) - std::sqrt(m) / 0.05 * h;
    bar += std::pow(m, -0.75) * (log_eps - bar);
    CHECK(state(DualAveraging::log_eps, 0) == Approx(log_eps).epsilon(1e-13));
    CHECK(state(DualAveraging::log_eps_bar, 0) == Approx(bar).epsilon(1e-13));
  }
}

TEST_CASE("dual averaging reaches its target on a known acceptance curve, each column its own") {
  // acceptance = exp(-eps / scale): 0.8 at eps = -scale log 0.8.
  const DualAveraging learner(1.0, 0.8);
  Eigen::MatrixXd state = learner.initial().replicate(1, 2);
  Eigen::MatrixXd a(1, 2);
  const double scale[] = {0.1, 10.0};
  for (int m = 0; m < 5000; ++m) {
    for (Index j = 0; j < 2; ++j) {
      a(0, j) = std::exp(-std::exp(state(DualAveraging::log_eps, j)) / scale[j]);
    }
    learner.update(state, a);
  }
  for (Index j = 0; j < 2; ++j) {
    CHECK(std::exp(state(DualAveraging::log_eps_bar, j)) ==
          Approx(-scale[j] * std::log(0.8)).epsilon(0.02));
  }
}

TEST_CASE("an acceptance that is not a number counts as none") {
  const DualAveraging learner(1.0, 0.8);
  Eigen::MatrixXd with_nan = learner.initial();
  Eigen::MatrixXd with_zero = learner.initial();
  Eigen::MatrixXd input(1, 1);
  input << NAN;
  learner.update(with_nan, input);
  input << 0.0;
  learner.update(with_zero, input);
  CHECK(with_nan == with_zero);
}
