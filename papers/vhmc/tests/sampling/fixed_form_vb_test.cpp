// Tests kernel `fixed-form-vb`: the Gaussian that stochastic approximation finds.
// SPDX-License-Identifier: Apache-2.0
#include "sampling/moments.hpp"

#include <Eigen/Dense>

#include <cmath>
#include <string>

using namespace mixwell;

namespace {

struct Fit {
  Eigen::MatrixXd means;        ///< d x replicates
  Eigen::MatrixXd covariances;  ///< d^2 x replicates, from the last sweep
};

Fit fitted(const std::string& body, std::int64_t sweeps) {
  const Composition c = composing::compose("[run]\nallow = [\"none\"]\n" + body);
  RunSettings settings = c.run;
  settings.seed = 3;
  settings.replicates = 200;
  settings.thin = sweeps;
  Sampler sampler(c.compositor, settings, compose(*c.compositor));
  sampler.initialise();
  DrawBuffers draws;
  sampler.advance(PhaseKind::sampling, sweeps, &draws);
  const Index d = c.model()->dimension();
  Fit found{sampler.variable("theta"), Eigen::MatrixXd(d * d, settings.replicates)};
  const auto& records = sampler.graph(PhaseKind::sampling).records();
  for (std::size_t k = 0; k < records.size(); ++k) {
    if (records[k].name != "covariance") continue;
    found.covariances =
        Eigen::Map<const Eigen::MatrixXd>(draws.data[k].data(), d * d, settings.replicates);
  }
  return found;
}

std::string vb(int iterations) {
  return "[kernel.k]\nuse = \"fixed-form-vb\"\niterations = " + std::to_string(iterations) + "\n";
}

const std::string model_table =
    "[model.m]\nuse = \"linear-gaussian\"\ndimension = 3\ncases = 200\ncorrelation = 0.5\n"
    "simulate_seed = 4\n";

/// Mean and covariance from many exact draws.
struct Exact {
  Eigen::VectorXd mean;
  Eigen::MatrixXd covariance;
};

Exact exact() {
  const Composition c = composing::compose(
      model_table +
      "[estimator.identity]\nuse = \"identity\"\n[kernel.k]\nuse = \"hamiltonian\"\nsteps = 10\n");
  Eigen::MatrixXd theta(3, 200000);
  c.model()->offers<ExactSampler>()->draw(Stream(1, "tests/vb"), {}, theta);
  const Eigen::VectorXd mean = theta.rowwise().mean();
  const Eigen::MatrixXd centred = theta.colwise() - mean;
  return {mean, centred * centred.transpose() / static_cast<double>(theta.cols() - 1)};
}

}  // namespace

TEST_CASE("fixed-form VB finds a Gaussian posterior exactly") {
  const Exact truth = exact();
  const Fit whole = fitted(model_table + vb(60), 60);
  const Eigen::VectorXd sd = truth.covariance.diagonal().cwiseSqrt();
  // For a quadratic U one gradient and one Hessian determine everything, so every replicate is
  // right to rounding.
  for (Index j = 0; j < whole.means.cols(); ++j) {
    CHECK(((whole.means.col(j) - truth.mean).array() / sd.array()).abs().maxCoeff() < 0.02);
  }
  const Eigen::Map<const Eigen::Matrix3d> covariance(whole.covariances.col(0).data());
  CHECK((covariance - truth.covariance).norm() < 0.02 * truth.covariance.norm());
}

TEST_CASE("fixed-form VB with minibatches is close, and closer with more iterations") {
  const Exact truth = exact();
  const auto error = [&](int iterations) {
    const Fit fit = fitted(
        model_table + "[oracle.o]\nuse = \"minibatch\"\nsize = 20\n" + vb(iterations), iterations);
    return std::sqrt((fit.means.colwise() - truth.mean).squaredNorm() /
                     static_cast<double>(fit.means.size()));
  };
  const double few = error(100);
  const double many = error(1600);
  INFO(few << ", " << many);
  CHECK(many < 0.5 * few);
  CHECK(many < 0.3 * std::sqrt(truth.covariance.diagonal().mean()));
}

TEST_CASE("fixed-form VB is not a sampler") {
  CHECK(sampling::label("[run]\nallow = [\"none\"]\n" + model_table + vb(10)) == "none");
}
