// The windows of warmup, and the step size that is found before them.
// SPDX-License-Identifier: Apache-2.0
#include "kernel/warmup_windows.hpp"

#include "composing.hpp"

#include <mixwell/kernel/learner.hpp>
#include <mixwell/lab/sampler.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <sstream>
#include <vector>

using namespace mixwell;

namespace {

std::vector<std::int64_t> closings(std::int64_t warmup) {
  const WarmupWindows windows(warmup);
  std::vector<std::int64_t> found;
  for (std::int64_t s = 0; s < warmup + 5; ++s) {
    if (windows.closes(static_cast<std::uint64_t>(s))) found.push_back(s + 1);
  }
  return found;
}

/// The learner's history after one warmup sweep on N(0, sd^2 I), for every column.
Eigen::MatrixXd found_step(double sd, const std::string& more) {
  std::ostringstream text;
  text << std::scientific << sd * sd;
  const std::string variance = text.str();
  const Composition composition = composing::compose(
      "[run]\nreplicates = 16\ninit = \"exact\"\nwarmup = 1\n[model.m]\nuse = \"gaussian\"\n"
      "dimension = 3\ncovariance = \"diagonal\"\nvariances = [" +
      variance + ", " + variance + ", " + variance +
      "]\n[estimator.identity]\nuse = \"identity\"\n[kernel.k]\nuse = \"nuts\"\n"
      "step_size = 0.1\n" +
      more);
  Sampler sampler(composition.compositor, composition.run, compose(*composition.compositor));
  sampler.initialise();
  sampler.advance(PhaseKind::warmup, 1);
  return sampler.variable("k/step-size-learner");
}

}  // namespace

TEST_CASE("windows double, the last one is stretched, and none is left at the end") {
  CHECK(closings(1000) == std::vector<std::int64_t>{100, 150, 250, 450, 950});
  CHECK(closings(400) == std::vector<std::int64_t>{100, 150, 350});
  CHECK(closings(150) == std::vector<std::int64_t>{100});
  CHECK(closings(100) == std::vector<std::int64_t>{90});
  CHECK(closings(20) == std::vector<std::int64_t>{18});
  CHECK(closings(19).empty());
  CHECK(closings(0).empty());
}

TEST_CASE("windows collect from the first one's start to the last one's end") {
  const WarmupWindows windows(1000);
  CHECK_FALSE(windows.collects(74));
  CHECK(windows.collects(75));
  CHECK(windows.collects(949));
  CHECK_FALSE(windows.collects(950));
}

TEST_CASE("the first step size follows the scale of the target") {
  for (const double sd : {1e-4, 1.0, 1e4}) {
    for (const std::string& more : {std::string(), std::string("pool = true\n")}) {
      const Eigen::MatrixXd state = found_step(sd, more);
      // mu = log(10 eps) of the step that was found, whatever dual averaging did since.
      const Eigen::ArrayXd eps = state.row(DualAveraging::mu).array().exp() / 10.0;
      INFO("sd " << sd << " " << more << " eps " << eps.transpose());
      CHECK(eps.minCoeff() > 0.2 * sd);
      CHECK(eps.maxCoeff() < 8.0 * sd);
    }
  }
}

TEST_CASE("a preconditioner that is read before its register starts where the register starts") {
  const Composition composition = composing::compose(
      "[run]\nreplicates = 2\n[model.m]\nuse = \"gaussian\"\ndimension = 2\n"
      "[estimator.e]\nuse = \"diagonal\"\n[kernel.k]\nuse = \"nuts\"\n");
  Sampler sampler(composition.compositor, composition.run, compose(*composition.compositor));
  const MatrixMap state = sampler.variable("k/curvature-learner");
  CHECK(state.topRows(4).isOnes());
  CHECK(state.bottomRows(5).isZero());
}
