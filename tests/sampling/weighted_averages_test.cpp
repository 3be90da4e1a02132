// Averages weighted by the step size, on a Gaussian where their distribution is known: theta_t =
// a_t theta_{t-1} + N(0, 2 eps_t), a_t = 1 - eps_t / v, from exact draws. |z| <= 5 for each figure.
// SPDX-License-Identifier: Apache-2.0
#include "testing.hpp"

#include <mixwell/lab/sampler.hpp>

#include <Eigen/Dense>

#include <cmath>
#include <string>

using namespace mixwell;
using Eigen::ArrayXd;
using Eigen::Index;
using Eigen::MatrixXd;

namespace {

constexpr double target_variance = 4.0;
constexpr std::int64_t replicate_count = 4000;
constexpr Index warmup_sweeps = 3;
constexpr Index thinning = 2;
constexpr Index draw_count = 200;

/// eps_t = 4 / t, t = 1, 2, ...: at the end the chain hardly moves.
const std::string falling_steps =
    "[model.g]\nuse = \"gaussian\"\ndimension = 1\ncovariance = \"diagonal\"\nvariances = [4]\n"
    "[kernel.k]\nuse = \"langevin\"\nschedule = \"polynomial\"\nexponent = 1\nstep_size = 4\n";

/// The values recorded as `name`, draws x replicates.
struct Recorded {
  MatrixXd x;
  MatrixXd weight;
};

Recorded record(const std::string& manifest) {
  const Composition c = composing::compose(manifest);
  RunSettings settings = c.run;
  settings.seed = 11;
  settings.replicates = replicate_count;
  settings.thin = thinning;
  settings.init.how = Init::How::exact;
  Sampler sampler(c.compositor, settings, compose(*c.compositor));
  sampler.initialise();
  sampler.advance(PhaseKind::warmup, warmup_sweeps);
  DrawBuffers buffers;
  sampler.advance(PhaseKind::sampling, draw_count * thinning, &buffers);
  REQUIRE(buffers.draws == draw_count);
  Recorded result;
  const auto& records = sampler.graph(PhaseKind::sampling).records();
  for (std::size_t r = 0; r < records.size(); ++r) {
    const Eigen::Map<const MatrixXd> numbers(buffers.data[r].data(), replicate_count, draw_count);
    if (records[r].name == "x") result.x = numbers.transpose();
    if (records[r].name == "weight") result.weight = numbers.transpose();
  }
  return result;
}

double eps(Index sweep) { return 4.0 / static_cast<double>(sweep + 1); }

/// Cov(theta_s, theta_t) of the recorded draws.
MatrixXd covariance() {
  const Index n = warmup_sweeps + draw_count * thinning;
  ArrayXd variance(n + 1);
  ArrayXd a(n + 1);
  variance[0] = target_variance;
  for (Index t = 1; t <= n; ++t) {
    a[t] = 1.0 - eps(t - 1) / target_variance;
    variance[t] = a[t] * a[t] * variance[t - 1] + 2.0 * eps(t - 1);
  }
  MatrixXd result(draw_count, draw_count);
  for (Index i = 0; i < draw_count; ++i) {
    Index at = warmup_sweeps + (i + 1) * thinning;
    double value = variance[at];
    for (Index j = i; j < draw_count; ++j) {
      for (; at < warmup_sweeps + (j + 1) * thinning; ++at) value *= a[at + 1];
      result(i, j) = result(j, i) = value;
    }
  }
  return result;
}

/// Over replicates.
struct Figure {
  double value;
  double error;
};

Figure mean_over_replicates(const ArrayXd& x) {
  const auto n = static_cast<double>(x.size());
  return {x.mean(), std::sqrt((x - x.mean()).square().sum() / (n - 1) / n)};
}

void check(const Figure& found, double wanted) {
  INFO(found.value << " +- " << found.error << ", in theory " << wanted);
  CHECK(std::abs(found.value - wanted) <= 5.0 * found.error);
  CHECK(found.error < 0.05 * wanted);
}

}  // namespace

TEST_CASE("the recorded weight is the step size that made the draw, after thinning too") {
  const Recorded draws = record(falling_steps);
  for (Index t = 0; t < draw_count; ++t)
    REQUIRE((draws.weight.row(t).array() == eps(warmup_sweeps + (t + 1) * thinning - 1)).all());
  CHECK(record(falling_steps + "hold = 1000\n").weight.maxCoeff() == 4.0);
  const std::string constant = "[kernel.k]\nuse = \"langevin\"\n";
  CHECK(record("[model.g]\nuse = \"gaussian\"\ndimension = 1\n" + constant).weight.size() == 0);
}

TEST_CASE("the weighted average has the law of theory, and the smaller error where steps fall") {
  const Recorded draws = record(falling_steps);
  const MatrixXd cov = covariance();
  const Eigen::VectorXd weight = draws.weight.col(0) / draws.weight.col(0).sum();
  const Eigen::VectorXd equal = Eigen::VectorXd::Constant(draw_count, 1.0 / double(draw_count));
  const auto squared_error = [&](const Eigen::VectorXd& c) {
    return mean_over_replicates((draws.x.transpose() * c).array().square());
  };
  const Figure weighted = squared_error(weight);
  const Figure unweighted = squared_error(equal);
  check(weighted, weight.dot(cov * weight));
  check(unweighted, equal.dot(cov * equal));
  CHECK(weighted.value + 5.0 * (weighted.error + unweighted.error) < unweighted.value);
}

TEST_CASE("the weighted average of theta^2 has the expectation of theory, and the smaller error") {
  const Recorded draws = record(falling_steps);
  const MatrixXd cov = covariance();
  const Eigen::VectorXd weight = draws.weight.col(0) / draws.weight.col(0).sum();
  const Eigen::VectorXd equal = Eigen::VectorXd::Constant(draw_count, 1.0 / double(draw_count));
  const MatrixXd square = draws.x.array().square().transpose();
  const auto average = [&](const Eigen::VectorXd& c) { return ArrayXd((square * c).array()); };
  check(mean_over_replicates(average(weight)), weight.dot(cov.diagonal()));
  const auto squared_error = [&](const Eigen::VectorXd& c) {
    return mean_over_replicates((average(c) - target_variance).square());
  };
  const Figure weighted = squared_error(weight);
  const Figure unweighted = squared_error(equal);
  INFO(weighted.value << " +- " << weighted.error << ", without weights " << unweighted.value);
  CHECK(weighted.value + 5.0 * (weighted.error + unweighted.error) < unweighted.value);
}
