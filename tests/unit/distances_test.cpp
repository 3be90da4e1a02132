// Distances from references: computed by hand, on Gaussians, and unchanged by what must not matter.
// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

#include <mixwell/base/random.hpp>
#include <mixwell/lab/distances.hpp>

#include <Eigen/LU>

#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::RowVectorXd;
using Eigen::VectorXd;
using namespace mixwell::diagnostics;

constexpr double inf = std::numeric_limits<double>::infinity();

MatrixXd normals(Index rows, Index cols, std::uint64_t sweep) {
  MatrixXd z(rows, cols);
  mixwell::Stream(3, "test/distances").normals({sweep, 0, 0}, z);
  return z;
}

/// (x - mean)' precision (x - mean) / 2 at each column.
RowVectorXd quadratic(const MatrixXd& x, const VectorXd& mean, const MatrixXd& precision) {
  const MatrixXd centred = x.colwise() - mean;
  return 0.5 * centred.cwiseProduct(precision * centred).colwise().sum();
}

}  // namespace

TEST_CASE("moments are those of the definition, with and without weights", "[distances]") {
  const MatrixXd x{{1, 2}, {3, 2}, {5, 8}};
  const Moments plain = moments(x);
  CHECK(plain.mean == VectorXd{{3, 4}});
  CHECK(plain.covariance.isApprox(MatrixXd{{4, 6}, {6, 12}}, 1e-15));
  const Moments same = moments(x, VectorXd::Constant(3, 7));
  CHECK(same.covariance.isApprox(plain.covariance, 1e-14));
  const Moments weighted = moments(x, VectorXd{{1, 2, 1}});  // W = 4, divisor 4 - 6 / 4
  CHECK(weighted.mean.isApprox(VectorXd{{3, 3.5}}, 1e-15));
  CHECK(weighted.covariance.isApprox(MatrixXd{{8, 12}, {12, 27}} / 2.5, 1e-14));
  const Moments far = moments(x.array() + 1e9);
  CHECK(far.covariance.isApprox(plain.covariance, 1e-14));
  CHECK(std::isnan(moments(x.topRows(1)).covariance(0, 0)));
  CHECK(std::isnan(moments(x, VectorXd{{1, -1, 1}}).mean[0]));
}

TEST_CASE("relative errors are sums of sizes over sums of sizes", "[distances]") {
  CHECK(relative_error(MatrixXd{{1, -2}, {3, 0}}, MatrixXd{{2, -4}, {1, 1}}) == 6.0 / 8);
  CHECK(relative_error(VectorXd{{1, 2}}, VectorXd{{1, 2}}) == 0);
  CHECK(relative_error(VectorXd{{1}}, VectorXd{{0}}) == inf);
}

TEST_CASE("the Amari distance is that of its formula", "[distances]") {
  // P itself if the reference is I: rows 1.5 / 1 and 5 / 4, columns 5 / 4 ... by hand.
  const MatrixXd P{{1, -0.5}, {1, 4}};
  const double rows = (1.5 - 1) + (1.25 - 1);
  const double columns = (2.0 - 1) + (4.5 / 4 - 1);
  CHECK(amari_distance(P, MatrixXd::Identity(2, 2)) == Approx((rows + columns) / 4));
  CHECK(amari_distance(MatrixXd::Ones(2, 2), MatrixXd::Identity(2, 2)) == Approx(1));
  CHECK(amari_distance(MatrixXd{{-3}}, MatrixXd{{2}}) == 0);
}

TEST_CASE("order, signs and scales of rows are at Amari distance zero, others are not",
          "[distances]") {
  const MatrixXd W0 = normals(4, 4, 1);
  MatrixXd W(4, 4);
  W << -2 * W0.row(2), 0.1 * W0.row(0), 5 * W0.row(3), W0.row(1);
  CHECK(amari_distance(W, W0) < 1e-14);
  CHECK(amari_distance(W.transpose(), W0.transpose()) > 0.01);  // columns are another matter
  CHECK(amari_distance(W0 + 0.1 * normals(4, 4, 2), W0) > 0.01);
  const MatrixXd other = normals(4, 4, 3);
  const double distance = amari_distance(other, W0);
  MatrixXd swapped(4, 4);
  swapped << other.row(3), -other.row(1), other.row(0), -other.row(2);
  CHECK(amari_distance(7 * swapped, W0) == Approx(distance).epsilon(1e-12));
  MatrixXd reference(4, 4);
  reference << -W0.row(1), W0.row(3), W0.row(0), W0.row(2);
  CHECK(amari_distance(other, reference) == Approx(distance).epsilon(1e-12));
}

TEST_CASE("what has no Amari distance is not available or refused", "[distances]") {
  const MatrixXd I = MatrixXd::Identity(2, 2);
  CHECK(std::isnan(amari_distance(I, MatrixXd::Ones(2, 2))));
  CHECK(std::isnan(amari_distance(MatrixXd::Zero(2, 2), I)));
  CHECK(std::isnan(amari_distance(inf * I, I)));
  CHECK_THROWS_AS(amari_distance(I, MatrixXd::Identity(3, 3)), std::invalid_argument);
  CHECK_THROWS_AS(amari_distance(MatrixXd::Ones(2, 3), MatrixXd::Ones(2, 3)),
                  std::invalid_argument);
}

TEST_CASE("the relative entropy of two Gaussians on a grid is the known one", "[distances]") {
  const MatrixXd line = grid_points({{-12, 14, 401}});
  const auto normal = [&line](double mean, double sd) {
    return quadratic(line, VectorXd{{mean}}, MatrixXd{{1 / (sd * sd)}});
  };
  // log(s / r) + (r^2 + (m - l)^2) / (2 s^2) - 1/2 of N(l, r^2) from N(m, s^2)
  const double known = std::log(1.5) + (1 + 0.25) / (2 * 2.25) - 0.5;
  CHECK(std::abs(grid_relative_entropy(normal(0, 1), normal(0.5, 1.5)) - known) < 1e-6);
  CHECK(std::abs(grid_relative_entropy(normal(0.5, 1.5), normal(0, 1)) - known) >
        0.1);  // not symmetric
  CHECK(grid_relative_entropy(normal(0, 1), normal(0, 1).array() + 1e3) == Approx(0).margin(1e-12));

  const MatrixXd plane = grid_points({{-9, 9, 181}, {-10, 10, 201}});
  const MatrixXd P{{2, 0.5}, {0.5, 1}};
  const MatrixXd Q{{1, -0.25}, {-0.25, 0.75}};
  const VectorXd shift{{0.5, -1}};
  const double trace = (Q * P.inverse()).trace();
  const double want =
      0.5 * (trace - 2 + shift.dot(Q * shift) + std::log(P.determinant() / Q.determinant()));
  const RowVectorXd u = quadratic(plane, VectorXd::Zero(2), P);
  CHECK(std::abs(grid_relative_entropy(u, quadratic(plane, shift, Q)) - want) < 1e-6);
}

TEST_CASE("infinite potentials are densities of zero", "[distances]") {
  const RowVectorXd half{{0, inf}};
  const RowVectorXd both{{1, 1}};
  CHECK(grid_relative_entropy(half, both) == Approx(std::numbers::ln2));
  CHECK(grid_relative_entropy(both, half) == inf);
  CHECK(std::isnan(grid_relative_entropy(RowVectorXd{{0, std::nan("")}}, both)));
  CHECK(std::isnan(grid_relative_entropy(both, RowVectorXd{{inf, inf}})));
}

TEST_CASE("a grid has its first axis fastest, and refuses what is none", "[distances]") {
  CHECK(grid_points({{0, 2, 3}, {5, 6, 2}}) == MatrixXd{{0, 1, 2, 0, 1, 2}, {5, 5, 5, 6, 6, 6}});
  CHECK_THROWS_AS(grid_points({}), std::invalid_argument);
  CHECK_THROWS_AS(grid_points({{0, 1, 1}}), std::invalid_argument);
  CHECK_THROWS_AS(grid_points({{1, 1, 5}}), std::invalid_argument);
  CHECK_THROWS_AS(grid_points({{0, 1, 2}, {0, 1, 2}, {0, 1, 2}}), std::invalid_argument);
}

TEST_CASE("the score distance is half a mean square", "[distances]") {
  const MatrixXd g{{1, 0}, {2, -1}};
  const MatrixXd h{{1, 3}, {0, 1}};
  CHECK(score_distance(g, h) == 0.5 * (4 + 13) / 2);
  CHECK(score_distance(g, h, RowVectorXd{{3, 1}}) == 0.5 * (12 + 13) / 4);
  CHECK(std::isnan(score_distance(MatrixXd(2, 0), MatrixXd(2, 0))));
  // N(0, 1) and N(0, s^2): 1/2 (1 - 1 / s^2)^2 E x^2
  const MatrixXd x = grid_points({{-12, 12, 401}});
  const RowVectorXd shares = (-0.5 * x.array().square()).exp();
  CHECK(score_distance(x, x / 4, shares) == Approx(0.5 * 0.75 * 0.75).epsilon(1e-12));
}
