// Modes and Hessians with known answers.
// SPDX-License-Identifier: Apache-2.0
#include "composing.hpp"

#include <mixwell/lab/sampler.hpp>
#include <mixwell/law/optimum.hpp>

#include <catch2/catch.hpp>

#include <cmath>

using namespace mixwell;

namespace {

/// Rosenbrock's valley, U = (1 - x)^2 + 100 (y - x^2)^2 in the first two coordinates, plus
/// sum_{i > 1} (i + 1) x_i^2 / 2; +inf beyond |theta| = 1e3.
class Valley final : public Potential {
 public:
  void evaluate(const Numbers&, ConstBatch theta, const Evaluation& out) const override {
    Batch g = out.gradient;
    for (Index j = 0; j < theta.cols(); ++j) {
      const double x = theta(0, j);
      const double slope = theta(1, j) - x * x;
      g.col(j).setZero();
      g(0, j) = -2 * (1 - x) - 400 * x * slope;
      g(1, j) = 200 * slope;
      double u = (1 - x) * (1 - x) + 100 * slope * slope;
      for (Index i = 2; i < theta.rows(); ++i) {
        const double scale = static_cast<double>(i + 1);
        g(i, j) = scale * theta(i, j);
        u += 0.5 * scale * theta(i, j) * theta(i, j);
      }
      if (out.wants_potential()) out.u()(j) = theta.col(j).norm() > 1e3 ? INFINITY : u;
    }
  }
};

/// U = sum theta: no minimum.
class Slope final : public Potential {
 public:
  void evaluate(const Numbers&, ConstBatch theta, const Evaluation& out) const override {
    Batch g = out.gradient;
    g.setOnes();
    if (out.wants_potential()) out.u() = theta.colwise().sum();
  }
};

struct Lab {
  explicit Lab(const Potential& u)
      : law(u, ConstMatrixMap(nullptr, 0, 1)), column(law, 0, scratch) {}
  Workspace scratch;
  Law law;
  ColumnLaw column;
};

}  // namespace

TEST_CASE("the bottom of a curved valley is found, to rounding once polished") {
  const Valley valley;
  Lab lab(valley);
  Eigen::VectorXd start = Eigen::VectorXd::Constant(40, 2.0);
  start(0) = -1.2;
  const Optimum rough = find_mode(lab.column, start, 1e-4, 1000);
  const Optimum fine = find_mode(lab.column, start, 1e-4, 1000, 5);
  Eigen::VectorXd truth = Eigen::VectorXd::Zero(40);
  truth.head(2).setOnes();
  CHECK(rough.converged);
  CHECK(fine.converged);
  CHECK((rough.theta - truth).norm() < 1e-2);
  CHECK((fine.theta - truth).norm() < 1e-11);
  CHECK(lab.column.gradients() > 80);
}

TEST_CASE("the Hessian by differences is exact to ten digits") {
  const Valley valley;
  Lab lab(valley);
  Eigen::VectorXd at = Eigen::VectorXd::Constant(40, 0.5);
  at.head(2) << 0.7, -0.3;
  Eigen::MatrixXd truth = Eigen::MatrixXd::Zero(40, 40);
  for (Index i = 2; i < 40; ++i) truth(i, i) = static_cast<double>(i + 1);
  truth(0, 0) = 2 - 400 * (-0.3 - 0.49) + 800 * 0.49;
  truth(0, 1) = truth(1, 0) = -400 * 0.7;
  truth(1, 1) = 200;
  const Eigen::MatrixXd h = hessian(lab.column, at);
  CHECK((h - truth).cwiseAbs().maxCoeff() < 1e-10 * truth.maxCoeff());
  CHECK(h == h.transpose());
}

TEST_CASE("a law without a minimum does not converge, and says so") {
  const Slope slope;
  Lab lab(slope);
  const Optimum found = find_mode(lab.column, Eigen::VectorXd::Zero(3), 1e-6, 50, 3);
  CHECK_FALSE(found.converged);
  CHECK(found.theta.allFinite());
  CHECK(found.u < 0.0);
}

TEST_CASE("too few iterations do not converge, and keep the best point") {
  const Valley valley;
  Lab lab(valley);
  const Eigen::VectorXd start = Eigen::VectorXd::Constant(3, -1.5);
  const Optimum found = find_mode(lab.column, start, 1e-10, 2);
  CHECK_FALSE(found.converged);
  double u = 0.0;
  Eigen::MatrixXd g(3, 1);
  lab.column.evaluate(start, &u, g);
  CHECK(found.u < u);
}

TEST_CASE("optimisers as kernels end at the mode, and are refused as samplers") {
  const std::string model =
      "[run]\nreplicates = 3\nwarmup = 0\n[model.m]\nuse = \"gaussian\"\ndimension = 3\n"
      "mean = [1, -2, 3]\ncovariance = \"diagonal\"\nvariances = [1, 4, 0.5]\n";
  for (const char* kernel : {"use = \"map\"\n", "use = \"gradient-descent\"\nstep_size = 0.5\n"}) {
    INFO(kernel);
    const Composition composition =
        composing::compose(model + "[kernel.k]\n" + kernel + "hessian = true\n");
    Program program = compose(*composition.compositor);
    CHECK(program.certificate.now.label() == "none");
    CHECK_THROWS_AS(refuse_unless_allowed(program.certificate.now, {}), Refused);
    CHECK_NOTHROW(refuse_unless_allowed(program.certificate.now, {"none"}));
    Sampler sampler(composition.compositor, composition.run, std::move(program));
    sampler.initialise();
    DrawBuffers buffers;
    sampler.advance(PhaseKind::sampling, 200, &buffers);
    const Eigen::Vector3d mode(1, -2, 3);
    const MatrixMap theta = sampler.variable("theta");
    CHECK((theta.colwise() - mode).cwiseAbs().maxCoeff() < 1e-8);
    const Eigen::Map<const Eigen::MatrixXd> h(sampler.variable("derived/k/hessian").data(), 3, 3);
    const Eigen::Vector3d precision(1, 0.25, 2);
    CHECK((h - Eigen::MatrixXd(precision.asDiagonal())).cwiseAbs().maxCoeff() < 1e-9);
  }
}
