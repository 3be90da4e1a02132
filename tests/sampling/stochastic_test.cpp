// Schemes without Metropolis on a Gaussian. The covariance P of the discretised scheme, including
// noise in the gradient, solves P = A P A' + Q (discrete Lyapunov equation). A wrong scale of any
// noise is detected. |z| <= 5 for each of a few figures.
// SPDX-License-Identifier: Apache-2.0
#include "testing.hpp"

#include <mixwell/lab/sampler.hpp>

#include <Eigen/Dense>

#include <cmath>
#include <string>

using namespace mixwell;

namespace {

constexpr double target_variance = 4.0;  ///< of each coordinate of the target
const std::string target =
    "[model.g]\nuse = \"gaussian\"\ndimension = 2\ncovariance = \"diagonal\"\nvariances = [4, 4]\n";

/// P = A P A' + Q by iteration.
Eigen::MatrixXd stationary(const Eigen::MatrixXd& A, const Eigen::MatrixXd& Q) {
  Eigen::MatrixXd P = Q;
  for (int k = 0; k < 200000; ++k) {
    const Eigen::MatrixXd next = A * P * A.transpose() + Q;
    if ((next - P).norm() < 1e-14 * P.norm()) break;
    P = next;
  }
  return P;
}

struct Moment {
  double mean;
  double error;
};

/// E theta_0^2 over replicates and sweeps, after `warmup` sweeps from exact draws.
Moment second_moment(const std::string& rest, std::int64_t warmup, std::int64_t sweeps) {
  constexpr std::int64_t replicates = 4000;
  const Composition c = composing::compose(target + rest);
  RunSettings settings = c.run;
  settings.seed = 7;
  settings.replicates = replicates;
  settings.init.how = Init::How::exact;
  Sampler sampler(c.compositor, settings, compose(*c.compositor));
  sampler.initialise();
  sampler.advance(PhaseKind::sampling, warmup);
  Eigen::ArrayXd sum = Eigen::ArrayXd::Zero(replicates);
  for (std::int64_t k = 0; k < sweeps; ++k) {
    sampler.advance(PhaseKind::sampling, 1);
    sum += sampler.variable(c.compositor->slots().front()).row(0).array().square().transpose();
  }
  sum /= static_cast<double>(sweeps);
  const double spread = (sum - sum.mean()).square().sum() / (replicates - 1.0);
  return {sum.mean(), std::sqrt(spread / replicates)};
}

void check(const Moment& found, double wanted) {
  INFO("E theta^2 = " << found.mean << " +- " << found.error << ", the scheme's " << wanted);
  CHECK(std::abs(found.mean - wanted) <= 5.0 * found.error);
  CHECK(found.error < 0.02 * wanted);
}

std::string text(double x) { return std::to_string(x); }

std::string noisy(double variance) {
  return variance > 0.0 ? "[oracle.o]\nuse = \"noisy\"\nvariance = " + text(variance) + "\n"
                        : "[oracle.o]\nuse = \"exact\"\n";
}

/// theta' = a theta + noise of variance 2 eps + eps^2 V.
double langevin_variance(double eps, double gradient_variance) {
  const double a = 1.0 - eps / target_variance;
  return (2.0 * eps + eps * eps * gradient_variance) / (1.0 - a * a);
}

struct Friction {
  double eps;
  double F;
  double D;
  double V;
};

/// theta' = theta + eps p; p' = p - eps (theta' / var + N(0, V)) - eps F p + N(0, 2 eps (F - D)).
double friction_variance(const Friction& f) {
  Eigen::Matrix2d A;
  A << 1.0, f.eps, -f.eps / target_variance, 1.0 - f.eps * f.F - f.eps * f.eps / target_variance;
  Eigen::Matrix2d Q = Eigen::Matrix2d::Zero();
  Q(1, 1) = 2.0 * f.eps * (f.F - f.D) + f.eps * f.eps * f.V;
  return stationary(A, Q)(0, 0);
}

std::string with_friction(const Friction& f, const std::string& more) {
  return noisy(f.V) + "[integrator.i]\nuse = \"euler-maruyama-friction\"\nfriction = " + text(f.F) +
         "\nnoise_estimate = " + text(f.D) +
         "\n[kernel.k]\nuse = \"hamiltonian\"\nmetropolis = false\nstep_size = " + text(f.eps) +
         "\n" + more;
}

std::string label(const std::string& rest) {
  return compose(*composing::compose(target + rest).compositor).certificate.now.label();
}

}  // namespace

TEST_CASE("Langevin dynamics has the covariance of its discretisation") {
  for (const double V : {0.0, 6.0}) {
    for (const double eps : {0.8, 0.2}) {
      const std::string rest =
          noisy(V) + "[kernel.k]\nuse = \"langevin\"\nstep_size = " + text(eps) + "\n";
      CHECK(label(rest) == "asymptotic");
      check(second_moment(rest, 100, 60), langevin_variance(eps, V));
    }
  }
}

TEST_CASE("preconditioned Langevin dynamics has the covariance of its discretisation") {
  // Two identical points make no pair, so that H is gamma I.
  const double eps = 0.2;
  const double gamma = 2.5;
  const std::string rest = noisy(6.0) + "[estimator.e]\nuse = \"lbfgs\"\ngamma = " + text(gamma) +
                           "\n[kernel.k]\nuse = \"langevin\"\nstep_size = " + text(eps) +
                           "\n[compositor.c]\nuse = \"ensemble-chain\"\nslots = 1\n"
                           "memory = \"own-history\"\nfreeze_after_warmup = true\n";
  CHECK(label(rest) == "asymptotic");
  const double a = 1.0 - eps * gamma / target_variance;
  const double noise = 2.0 * eps * gamma + eps * eps * gamma * gamma * 6.0;
  check(second_moment(rest, 100, 60), noise / (1.0 - a * a));
}

TEST_CASE("friction and noise have the covariance of their discretisation") {
  for (const Friction& f : {Friction{0.2, 1.0, 0.0, 0.0}, Friction{0.2, 1.0, 0.0, 4.0},
                            Friction{0.2, 1.0, 0.4, 4.0}, Friction{0.5, 0.5, 0.0, 1.0}}) {
    INFO("eps = " << f.eps << ", F = " << f.F << ", D = " << f.D << ", V = " << f.V);
    const std::string rest = with_friction(f, "steps = 5\npersistence = 1\n");
    CHECK(label(rest) == "asymptotic");
    check(second_moment(rest, 60, 60), friction_variance(f));
  }
}

TEST_CASE("a noisy gradient without friction heats a momentum that is never redrawn") {
  const std::string redrawn = noisy(4.0) +
                              "[kernel.k]\nuse = \"hamiltonian\"\nmetropolis = false\n"
                              "step_size = 0.1\nsteps = 20\n";
  CHECK(label(redrawn) == "asymptotic");
  CHECK(label(redrawn + "persistence = 1\n") == "biased");
  const Moment early = second_moment(redrawn + "persistence = 1\n", 20, 10);
  const Moment late = second_moment(redrawn + "persistence = 1\n", 200, 10);
  INFO(early.mean << ", then " << late.mean);
  CHECK(late.mean > 2.0 * early.mean);
}

TEST_CASE("a friction below the noise of the gradient is refused") {
  CHECK_THROWS_AS(composing::compose(target + with_friction({0.2, 0.3, 0.4, 4.0}, "")), InputError);
}

TEST_CASE("schemes with noise are refused where a Metropolis ratio would ignore it") {
  const std::string friction = "[integrator.i]\nuse = \"euler-maruyama-friction\"\n";
  CHECK_THROWS_AS(composing::compose(target + friction +
                                     "[estimator.identity]\nuse = \"identity\"\n[kernel.k]\nuse = "
                                     "\"hamiltonian\"\nsteps = 10\n"),
                  InputError);
  CHECK_THROWS_AS(
      composing::compose(target + friction +
                         "[estimator.identity]\nuse = \"identity\"\n[kernel.k]\nuse = \"nuts\"\n"),
      InputError);
  CHECK_THROWS_AS(composing::compose(target + friction + "[kernel.k]\nuse = \"langevin\"\n"),
                  InputError);
}
