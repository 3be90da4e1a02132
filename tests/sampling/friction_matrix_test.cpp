// SGHMC with a friction matrix and a mass matrix other than I: the distributions that are known on
// a quadratic U, and what Chen, Fox & Guestrin 2014 prove about the dynamics.
// SPDX-License-Identifier: Apache-2.0
#include "../unit/support.hpp"
#include "moments.hpp"

#include <Eigen/Core>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

using Eigen::Matrix2d;
using Eigen::Matrix4d;
using Eigen::MatrixXd;
using namespace mixwell;

namespace {

/// U = theta' A theta / 2 with A^-1 = 11' + I, friction F, mass M, gradient noise V I, estimate D.
struct Setting {
  Matrix2d F = Matrix2d::Identity();
  Matrix2d M = Matrix2d::Identity();
  double V = 0.0;
  double D = 0.0;
  double eps = 0.1;
};

const Matrix2d covariance = (Matrix2d() << 2, 1, 1, 2).finished();

/// One step of (theta, p) is a linear map T and a noise of covariance Q.
Matrix4d step(const Setting& s) {
  const Matrix2d I = Matrix2d::Identity();
  const Matrix2d A = covariance.inverse();
  const Matrix2d W = s.M.inverse();
  Matrix4d T;
  T << I, s.eps * W, -s.eps * A, I - s.eps * s.F * W - s.eps * s.eps * A * W;
  return T;
}

Matrix4d noise(const Setting& s) {
  const Matrix2d I = Matrix2d::Identity();
  Matrix4d Q = Matrix4d::Zero();
  Q.bottomRightCorner<2, 2>() = 2.0 * s.eps * (s.F - s.D * I) + s.eps * s.eps * s.V * I;
  return Q;
}

Matrix4d power(const Matrix4d& T, int n) {
  Matrix4d all = Matrix4d::Identity();
  for (int k = 0; k < n; ++k) all = T * all;
  return all;
}

/// The stationary covariance of the scheme, sum T^k Q T'^k, by doubling.
Matrix4d stationary(const Setting& s) {
  Matrix4d T = step(s);
  Matrix4d law = noise(s);
  for (int k = 0; k < 30; ++k) {
    law += (T * law * T.transpose()).eval();
    T = (T * T).eval();
  }
  return law;
}

std::string row(const Matrix2d& m) {
  return std::to_string(m(0, 0)) + "," + std::to_string(m(0, 1)) + "\n" + std::to_string(m(1, 0)) +
         "," + std::to_string(m(1, 1)) + "\n";
}

std::string body(const Setting& s, const std::string& friction, const support::TemporaryFolder& in,
                 int steps) {
  std::string text =
      "[model.m]\nuse = \"gaussian\"\ncovariance = \"ones-plus\"\ndimension = 2\nc = 1\n"
      "[integrator.i]\nuse = \"euler-maruyama-friction\"\nnoise_estimate = " +
      std::to_string(s.D) + "\n" + friction +
      "[kernel.k]\nuse = \"hamiltonian\"\nmetropolis = "
      "false\npersistence = 1\nstep_size = " +
      std::to_string(s.eps) + "\nsteps = " + std::to_string(steps) + "\n[estimator.e]\n";
  if (s.M == Matrix2d::Identity()) {
    text += "use = \"identity\"\n";
  } else {
    text += "use = \"curvature-file\"\nfile = \"" + in.file("H.csv", row(s.M.inverse())) + "\"\n";
  }
  if (s.V > 0.0) text += "[oracle.o]\nuse = \"noisy\"\nvariance = " + std::to_string(s.V) + "\n";
  return text;
}

/// theta and p of all replicates (4 x R) after so many sweeps, and after one more.
struct States {
  MatrixXd first;
  MatrixXd second;
};

MatrixXd state(Sampler& sampler) {
  const MatrixXd theta = sampler.variable("theta");
  MatrixXd all(4, theta.cols());
  all << theta, sampler.variable("k/momentum");
  return all;
}

States states(const std::string& body, std::int64_t replicates, std::int64_t before) {
  const Composition c = composing::compose(body);
  RunSettings settings = c.run;
  settings.seed = 21;
  settings.replicates = replicates;
  settings.init.how = Init::How::exact;
  Sampler sampler(c.compositor, settings, compose(*c.compositor));
  sampler.initialise();
  sampler.advance(PhaseKind::sampling, before);
  States all;
  all.first = state(sampler);
  sampler.advance(PhaseKind::sampling, 1);
  all.second = state(sampler);
  return all;
}

/// The largest |z| of the entries of E a b' against the wanted matrix. For two independent normal
/// vectors, one of the 16 entries exceeds 4.5 by chance with probability 1e-4.
double largest_z(const MatrixXd& a, const MatrixXd& b, const Matrix4d& wanted) {
  const auto n = static_cast<double>(a.cols());
  double largest = 0.0;
  for (Index i = 0; i < 4; ++i) {
    for (Index j = 0; j < 4; ++j) {
      const Eigen::ArrayXd each = (a.row(i).array() * b.row(j).array()).transpose();
      const double sd = std::sqrt((each - each.mean()).square().sum() / (n - 1.0) / n);
      largest = std::max(largest, std::abs(each.mean() - wanted(i, j)) / sd);
    }
  }
  return largest;
}

const Matrix2d full = (Matrix2d() << 2.0, 0.8, 0.8, 1.0).finished();
const std::string full_text = "friction_matrix = [2.0, 0.8, 0.8, 1.0]\n";
const Matrix2d diagonal = (Matrix2d() << 2.0, 0.0, 0.0, 0.5).finished();
const std::string diagonal_text = "friction_matrix = [2.0, 0.5]\n";
const Matrix2d heavy = (Matrix2d() << 2.0, 0.5, 0.5, 1.5).finished();

}  // namespace

TEST_CASE(
    "friction that is a matrix, and a mass, give the law that the scheme has on a quadratic") {
  const support::TemporaryFolder folder;
  struct Case {
    Setting s;
    std::string friction;
  };
  const Matrix2d I = Matrix2d::Identity();
  for (const Case& c :
       {Case{{diagonal, I, 0.0, 0.0, 0.3}, diagonal_text},
        Case{{full, I, 0.0, 0.0, 0.3}, full_text}, Case{{full, I, 2.0, 0.3, 0.3}, full_text},
        Case{{I, heavy, 0.0, 0.0, 0.3}, "friction = 1\n"},
        Case{{full, heavy, 2.0, 0.3, 0.3}, full_text}}) {
    INFO(c.friction << "M = " << c.s.M(0, 0) << ", V = " << c.s.V);
    const std::string text = body(c.s, c.friction, folder, 10);
    CHECK(sampling::label(text) == "asymptotic");
    const States found = states(text, 20000, 20);
    const Matrix4d law = stationary(c.s);
    CHECK(largest_z(found.first, found.first, law) < 4.5);
    CHECK(largest_z(found.second, found.first, power(step(c.s), 10) * law) < 4.5);
    // A step that damps p where M^-1 p belongs, or takes the diagonal for the matrix.
    Setting other = c.s;
    other.M = I;
    if (c.s.M != I) CHECK(largest_z(found.first, found.first, stationary(other)) > 8.0);
    other = c.s;
    other.F = c.s.F.diagonal().asDiagonal();
    const Matrix4d lagged = power(step(other), 10) * stationary(other);
    if (c.s.F == full) CHECK(largest_z(found.second, found.first, lagged) > 8.0);
  }
}

TEST_CASE("backwards in time SGHMC is itself with its momentum reversed") {
  // Theorem E.1: (theta_0, r_0, theta_t, r_t) and (theta_t, -r_t, theta_0, -r_0) have the same
  // distribution under the continuous dynamics. The covariances of the scheme agree with this up to
  // an error of order eps.
  const Matrix4d flip = Eigen::Vector4d(1, 1, -1, -1).asDiagonal();
  const auto irreversible = [&](double eps) {
    const Setting s{full, heavy, 0.0, 0.0, eps};
    const Matrix4d lagged =
        power(step(s), static_cast<int>(std::lround(1.0 / eps))) * stationary(s);
    return (lagged - flip * lagged.transpose() * flip).norm() / lagged.norm();
  };
  CHECK(irreversible(0.02) < 0.02);
  CHECK(irreversible(0.01) < 0.6 * irreversible(0.02));
  const support::TemporaryFolder folder;
  const Setting s{full, heavy, 0.0, 0.0, 0.02};
  const States found = states(body(s, full_text, folder, 50), 20000, 20);
  const Matrix4d lagged = power(step(s), 50) * stationary(s);
  CHECK(largest_z(found.second, found.first, lagged) < 4.5);
  // It is not reversible as it is.
  CHECK(largest_z(found.second, found.first, lagged.transpose()) > 8.0);
}

TEST_CASE("the divergence from pi that blind friction brings falls faster than eps") {
  // V = F and D = 0: for the scheme pi~ = exp(-H / s) with s = 1 + eps / 2 (eq. 23). Its chi^2
  // divergence from pi is (s (2 - s))^-1/2 - 1 for each coordinate, which is below a multiple of
  // eps
  // (eq. 25).
  const std::string model = "[model.m]\nuse = \"gaussian\"\ndimension = 1\n";
  const std::string noisy = "[oracle.o]\nuse = \"noisy\"\nvariance = 1.0\n";
  const sampling::Length length{4000, 20, 60};
  double last = 1.0;
  for (const double eps : {0.8, 0.4, 0.2}) {
    const std::string run =
        "[integrator.i]\nuse = \"euler-maruyama-friction\"\nfriction_matrix = [1]\n"
        "[estimator.identity]\nuse = \"identity\"\n[kernel.k]\nuse = \"hamiltonian\"\nmetropolis = "
        "false\npersistence = 1\nsteps = 5\nstep_size = " +
        std::to_string(eps) + "\n";
    const double s = sampling::second_moment(model + noisy + run, length).mean /
                     sampling::second_moment(model + run, length).mean;
    const double over_eps = (1.0 / std::sqrt(s * (2.0 - s)) - 1.0) / eps;
    INFO("eps = " << eps << ", s = " << s);
    CHECK(over_eps < 0.75 * last);
    last = over_eps;
  }
}
