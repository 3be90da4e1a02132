// Positive parameters through `mirrored`. Metropolis kernels keep the target density. Langevin
// dynamics equals a plain loop with |theta+|, step by step, and has the error that theory predicts.
// SPDX-License-Identifier: Apache-2.0
#include "testing.hpp"

#include <mixwell/lab/sampler.hpp>

#include <cmath>
#include <string>

using namespace mixwell;
using Eigen::ArrayXXd;
using Eigen::MatrixXd;
using sampling::expect_caught;
using sampling::expect_right;
using sampling::usual_test;

namespace {

std::string mirrored(double shape, double rate, int dimension) {
  return "[model.base]\nuse = \"gamma\"\nshape = " + std::to_string(shape) +
         "\nrate = " + std::to_string(rate) + "\ndimension = " + std::to_string(dimension) +
         "\n[model.whole]\nuse = \"mirrored\"\nof = \"base\"\n"
         "[compositor.c]\nuse = \"chain\"\nmodel = \"whole\"\n";
}

std::string kernel(const std::string& id, double eps, const std::string& more = "") {
  return "[kernel.k]\nuse = \"" + id + "\"\nstep_size = " + std::to_string(eps) + "\n" + more;
}

struct Moments {
  double first;
  double first_error;
  double second;
  double second_error;
};

/// Of |theta| over replicates, in sweeps after the first 300.
Moments moments(const std::string& manifest, int sweeps) {
  constexpr std::int64_t replicates = 8000;
  const Composition c = composing::compose(manifest);
  RunSettings settings = c.run;
  settings.seed = 3;
  settings.replicates = replicates;
  settings.init.how = Init::How::exact;
  Sampler sampler(c.compositor, settings, compose(*c.compositor));
  sampler.initialise();
  sampler.advance(PhaseKind::sampling, 300);
  Eigen::ArrayXd first = Eigen::ArrayXd::Zero(replicates);
  Eigen::ArrayXd second = Eigen::ArrayXd::Zero(replicates);
  for (int k = 0; k < sweeps; ++k) {
    sampler.advance(PhaseKind::sampling, 1);
    const MatrixMap theta = sampler.variable(c.compositor->slots().front());
    first += theta.row(0).array().abs().transpose();
    second += theta.row(0).array().square().transpose();
  }
  first /= sweeps;
  second /= sweeps;
  const auto error = [](const Eigen::ArrayXd& x) {
    return std::sqrt((x - x.mean()).square().sum() / (replicates - 1.0) / replicates);
  };
  return {first.mean(), error(first), second.mean(), error(second)};
}

}  // namespace

TEST_CASE("Metropolis kernels leave mirrored gamma laws invariant", "[nightly]") {
  for (const double shape : {1.0, 2.0, 4.0}) {
    for (const int dimension : {1, 3}) {
      INFO("shape " << shape << ", d = " << dimension);
      const std::string model = mirrored(shape, 1.0, dimension);
      expect_right(contracts::check_invariance(
          composing::compose(model + kernel("hamiltonian", 0.4, "steps_jitter = [1, 5]\n")),
          usual_test));
      expect_right(contracts::check_invariance(
          composing::compose(model + kernel("random-walk-metropolis", 1.0)), usual_test));
    }
  }
}

TEST_CASE("Hamiltonian Monte Carlo without Metropolis is caught on a mirrored gamma law") {
  expect_caught(contracts::check_invariance(
      composing::compose(mirrored(1.0, 1.0, 1) +
                         kernel("hamiltonian", 0.8, "steps = 3\nmetropolis = false\n")),
      usual_test));
}

TEST_CASE("mirrored Langevin dynamics is the loop that reflects, number by number") {
  constexpr Index d = 3;
  constexpr Index replicates = 16;
  const double eps = 0.15;
  const Composition c = composing::compose("[run]\nseed = 9\nreplicates = 16\nblock_width = 8\n" +
                                           mirrored(1.0, 2.0, d) + kernel("langevin", eps));
  Sampler sampler(c.compositor, c.run, compose(*c.compositor));
  sampler.initialise();
  const std::string slot = c.compositor->slots().front();
  MatrixXd sign = sampler.variable(slot).cwiseSign();
  MatrixXd x = sampler.variable(slot).cwiseAbs();
  const Stream stream(9, "k/step");
  int reflections = 0;
  for (std::uint64_t sweep = 0; sweep < 60; ++sweep) {
    MatrixXd z(d, replicates);
    stream.normals({sweep, 0, 0}, z);
    // On the half line the noise has the sign of its side: z' = sign(theta) z.
    const ArrayXXd next = x.array() - eps * 2.0 + std::sqrt(2 * eps) * (sign.array() * z.array());
    reflections += static_cast<int>((next < 0.0).count());
    sign = sign.cwiseProduct(MatrixXd((next < 0.0).select(-1.0, ArrayXXd::Ones(d, replicates))));
    x = next.abs().matrix();
    sampler.advance(PhaseKind::sampling, 1);
    REQUIRE((sampler.variable(slot).cwiseAbs() - x).cwiseAbs().maxCoeff() < 1e-12);
    REQUIRE(sampler.variable(slot).cwiseSign() == sign);
  }
  CHECK(reflections > 100);
}

TEST_CASE("the error of mirrored Langevin dynamics is of first order, and known") {
  // theta+ = |theta - b eps + sqrt(2 eps) z| has the stationary mean 1 / b + b eps / 2. Second
  // moments at b = 1 by quadrature of its transition density (error below 1e-4).
  for (const auto& [eps, second] : {std::pair{0.2, 2.25204}, {0.1, 2.11734}, {0.05, 2.05586}}) {
    const Moments found = moments(mirrored(1.0, 1.0, 1) + kernel("langevin", eps), 400);
    INFO("eps = " << eps << ": " << found.first << " +- " << found.first_error << ", "
                  << found.second << " +- " << found.second_error);
    CHECK(std::abs(found.first - (1.0 + 0.5 * eps)) <= 5.0 * found.first_error);
    CHECK(std::abs(found.second - second) <= 5.0 * found.second_error);
    CHECK(found.first_error < 0.1 * eps);
  }
  const Moments scaled = moments(mirrored(1.0, 4.0, 1) + kernel("langevin", 0.2 / 16), 400);
  CHECK(std::abs(scaled.first - (0.25 + 2.0 * 0.2 / 16)) <= 5.0 * scaled.first_error);
}
