// Preconditioners fitted to other slots, without Metropolis. With a bound the error falls with eps;
// without one it is large at every eps. U = theta^4 / 4, and E theta^2 = 2 Gamma(3/4) / Gamma(1/4)
// = 0.67598. theta^2 is clipped at 9, because steps without a bound have no mean; this changes the
// value by less than 1e-8.
// SPDX-License-Identifier: Apache-2.0
#include "testing.hpp"

#include <mixwell/lab/sampler.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <cstdint>
#include <string>

using namespace mixwell;

namespace {

constexpr double truth = 0.675978;

/// The error of E min(theta^2, 9) at time 6 from exact draws, and its standard error.
struct Offset {
  double mean;
  double deviation;
};

Offset offset_at(double eps, const std::string& limits) {
  constexpr std::int64_t replicates = 512;
  const Composition c = composing::compose(
      "[model.m]\nuse = \"quartic\"\ndimension = 1\n[estimator.e]\nuse = \"lbfgs\"\n" + limits +
      "[kernel.s]\nuse = \"langevin\"\nstep_size = " + std::to_string(eps) +
      "\n[compositor.c]\nuse = \"ensemble-chain\"\nslots = 4\n");
  RunSettings settings = c.run;
  settings.seed = 5;
  settings.replicates = replicates;
  settings.init.how = Init::How::exact;
  Sampler sampler(c.compositor, settings, compose(*c.compositor));
  sampler.initialise();
  sampler.advance(PhaseKind::sampling, std::lround(6.0 / eps));
  Eigen::ArrayXd squares = Eigen::ArrayXd::Zero(replicates);
  const auto slots = c.compositor->slots();
  for (const auto& slot : slots)
    squares += sampler.variable(slot).row(0).array().square().min(9.0).transpose();
  squares /= static_cast<double>(slots.size());
  const double spread = (squares - squares.mean()).square().sum() / (replicates - 1.0);
  return {squares.mean() - truth, std::sqrt(spread / replicates)};
}

}  // namespace

/// Two z-scores of 4.5: a false alarm in 1e5. Measured with ten times the replicates: at 0.02 the
/// limited scheme is off by 0.02.
TEST_CASE("limits on a preconditioner that follows other slots make its error fall with the step") {
  const Offset coarse = offset_at(0.02, "eigenvalues = [0.1, 10.0]\n");
  const Offset fine = offset_at(0.0025, "eigenvalues = [0.1, 10.0]\n");
  INFO("errors " << coarse.mean << " and " << fine.mean << " +- " << fine.deviation);
  CHECK(std::abs(coarse.mean) < 0.03 + 4.5 * coarse.deviation);
  CHECK(std::abs(fine.mean) < 4.5 * fine.deviation);
}

TEST_CASE("without limits the error is the same at an eighth of the step") {
  for (const double eps : {0.02, 0.0025}) {
    const Offset error = offset_at(eps, "");
    INFO("at " << eps << ": " << error.mean << " +- " << error.deviation);
    CHECK(error.mean > 3.0);
  }
}
