// Optimisers with noisy gradients: the mode with the exact gradient, and the covariance of the
// discretised scheme (discrete Lyapunov equation) with a noisy one. |z| <= 5 for each figure. Other
// conventions that could be confused with it are further away.
// SPDX-License-Identifier: Apache-2.0
#include "testing.hpp"

#include <mixwell/lab/sampler.hpp>

#include <Eigen/Dense>

#include <cmath>
#include <string>

using namespace mixwell;

namespace {

constexpr double target_variance = 4.0;
constexpr double noise = 6.0;
const std::string target =
    "[model.g]\nuse = \"gaussian\"\ndimension = 2\ncovariance = \"diagonal\"\nvariances = [4, 4]\n"
    "[oracle.o]\nuse = \"noisy\"\nvariance = 6\n";
const std::string regression =
    "[model.m]\nuse = \"linear-gaussian\"\ncases = 50\ndimension = 3\ncorrelation = 0.3\n";

std::string kernel(const std::string& id, double step_size, const std::string& more = "") {
  return "[kernel.k]\nuse = \"" + id + "\"\nstep_size = " + std::to_string(step_size) + "\n" + more;
}

/// The covariance P = A P A' + Q of theta and v.
double stationary(const Eigen::Matrix2d& A, const Eigen::Matrix2d& Q) {
  Eigen::Matrix2d P = Q;
  for (int k = 0; k < 5000; ++k) P = A * P * A.transpose() + Q;
  return P(0, 0);
}

double sgd_variance(double eps) {
  const double a = 1.0 - eps / target_variance;
  return eps * eps * noise / (1.0 - a * a);
}

/// v+ = (1 - alpha) v - eta (theta / variance + noise), theta+ = theta + v+.
double momentum_variance(double eta, double alpha) {
  const double keep = 1.0 - alpha;
  Eigen::Matrix2d A;
  A << 1.0 - eta / target_variance, keep, -eta / target_variance, keep;
  return stationary(A, Eigen::Matrix2d::Constant(eta * eta * noise));
}

/// theta+ = theta + v with the v of before, which sees the gradient at the old theta.
double late_momentum_variance(double eta, double alpha) {
  Eigen::Matrix2d A;
  A << 1.0, 1.0, -eta / target_variance, 1.0 - alpha;
  return stationary(A, Eigen::Vector2d(0.0, eta * eta * noise).asDiagonal());
}

struct Moment {
  double mean;
  double error;
};

/// E theta_0^2 over 4000 replicates and 60 sweeps, after 150 from exact draws.
Moment second_moment(const std::string& rest) {
  constexpr std::int64_t replicates = 4000;
  const Composition c = composing::compose(target + rest);
  RunSettings settings = c.run;
  settings.seed = 5;
  settings.replicates = replicates;
  settings.init.how = Init::How::exact;
  Sampler sampler(c.compositor, settings, compose(*c.compositor));
  sampler.initialise();
  sampler.advance(PhaseKind::sampling, 150);
  Eigen::ArrayXd sum = Eigen::ArrayXd::Zero(replicates);
  for (int k = 0; k < 60; ++k) {
    sampler.advance(PhaseKind::sampling, 1);
    sum += sampler.variable(c.compositor->slots().front()).row(0).array().square().transpose();
  }
  sum /= 60.0;
  const double spread = (sum - sum.mean()).square().sum() / (replicates - 1.0);
  return {sum.mean(), std::sqrt(spread / replicates)};
}

bool is(const Moment& found, double wanted) {
  return std::abs(found.mean - wanted) <= 5.0 * found.error;
}

/// Gradients per sweep and replicate. The last one does not move the slot.
double gradients(const std::string& manifest, std::int64_t sweeps) {
  const Composition c = composing::compose("[run]\nreplicates = 8\nthin = 5\n" + manifest);
  Sampler sampler(c.compositor, c.run, compose(*c.compositor));
  sampler.initialise();
  sampler.advance(PhaseKind::sampling, 10);
  const double before = sampler.gradients();
  sampler.advance(PhaseKind::sampling, sweeps);
  return (sampler.gradients() - before) / (8.0 * double(sweeps));
}

}  // namespace

TEST_CASE("with exact gradients both descend to the mode, and are no samplers") {
  for (const std::string& k : {kernel("sgd", 0.005), kernel("sgd-momentum", 0.002, "alpha = 0.2\n"),
                               kernel("sgd-momentum", 0.005, "alpha = 1\n")}) {
    INFO(k);
    const Composition c = composing::compose("[run]\nreplicates = 3\n" + regression +
                                             "[oracle.o]\nuse = \"exact\"\n" + k);
    Program program = compose(*c.compositor);
    CHECK(program.certificate.now.label() == "none");
    CHECK(program.certificate.now.rule == Rule::optimiser);
    CHECK_THROWS_AS(refuse_unless_allowed(program.certificate.now, {}), Refused);
    CHECK_NOTHROW(refuse_unless_allowed(program.certificate.now, {"none"}));
    Sampler sampler(c.compositor, c.run, std::move(program));
    sampler.initialise();
    sampler.advance(PhaseKind::sampling, 6000);
    const MatrixMap theta = sampler.variable(c.compositor->slots().front());
    Eigen::MatrixXd g(theta.rows(), theta.cols());
    Workspace scratch;
    c.model()->evaluate(theta, {nullptr, g, scratch});
    CHECK(g.cwiseAbs().maxCoeff() < 1e-8);
  }
}

TEST_CASE("stochastic gradient descent has the covariance of its scheme") {
  for (const double eps : {1.0, 0.4}) {
    const Moment found = second_moment(kernel("sgd", eps));
    INFO(found.mean << " +- " << found.error << ", in theory " << sgd_variance(eps));
    CHECK(is(found, sgd_variance(eps)));
    CHECK_FALSE(is(found, sgd_variance(0.5 * eps)));
    CHECK_FALSE(is(found, (2.0 * eps + eps * eps * noise) / (eps * eps * noise) *
                              sgd_variance(eps)));  // with Langevin's noise
  }
}

TEST_CASE("momentum has the covariance of its scheme, and alpha = 1 that of none") {
  for (const auto& [eta, alpha] : {std::pair{0.5, 0.3}, std::pair{0.2, 0.1}}) {
    const Moment found =
        second_moment(kernel("sgd-momentum", eta, "alpha = " + std::to_string(alpha) + "\n"));
    const double wanted = momentum_variance(eta, alpha);
    INFO(found.mean << " +- " << found.error << ", in theory " << wanted);
    CHECK(is(found, wanted));
    CHECK_FALSE(is(found, momentum_variance(0.5 * eta, alpha)));
    CHECK_FALSE(is(found, momentum_variance(eta, 1.0 - alpha)));
    CHECK_FALSE(is(found, late_momentum_variance(eta, alpha)));
  }
  const double bare = second_moment(kernel("sgd", 0.8)).mean;
  CHECK(second_moment(kernel("sgd-momentum", 0.8, "alpha = 1\n")).mean == Approx(bare));
}

TEST_CASE("a step of descent costs one gradient of the oracle's law") {
  for (const char* id : {"sgd", "sgd-momentum"}) {
    const std::string exact = regression + "[oracle.o]\nuse = \"exact\"\n" + kernel(id, 0.001);
    CHECK(gradients(exact, 20) == 1.0);
    const std::string batch =
        regression + "[oracle.o]\nuse = \"minibatch\"\nsize = 5\n" + kernel(id, 0.001);
    CHECK(gradients(batch, 20) == Approx(0.1));
  }
}

TEST_CASE("a descent that runs away rests where it was, and is counted") {
  const std::string quartic =
      "[run]\nreplicates = 2\n[model.q]\nuse = \"quartic\"\ndimension = 2\n";
  for (const char* id : {"sgd", "sgd-momentum"}) {
    const Composition c = composing::compose(quartic + kernel(id, 1e6));
    Sampler sampler(c.compositor, c.run, compose(*c.compositor));
    sampler.initialise();
    sampler.advance(PhaseKind::sampling, 50);
    CHECK(sampler.variable(c.compositor->slots().front()).allFinite());
    CHECK(sampler.divergence_count() > 0);
    CHECK(std::string(sampler.divergences().front().quantity) == "position");
  }
}
