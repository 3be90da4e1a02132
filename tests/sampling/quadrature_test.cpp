// Sampled posteriors of one and two dimensions, against their moments by quadrature.
// SPDX-License-Identifier: Apache-2.0
#include "composing.hpp"
#include "coordinates.hpp"
#include "data_files.hpp"

#include <mixwell/model.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <string>

using mixwell::Index;
using sampling::coordinates;
using sampling::z_of_mean;

namespace {

struct Range {
  double from;
  double to;
  Index points;

  double step() const { return (to - from) / static_cast<double>(points - 1); }
};

/// Means of f(x) under exp(-U) by the trapezoidal rule, which for what vanishes with all its
/// derivatives at the edges has an error far below any z-score's.
class Grid {
 public:
  Grid(const mixwell::Model& model, const Range& first, const Range& second)
      : x_(model.dimension(), first.points * second.points), w_(x_.cols()) {
    for (Index k = 0; k < x_.cols(); ++k) {
      x_(0, k) = first.from + first.step() * static_cast<double>(k % first.points);
      if (x_.rows() == 2)
        x_(1, k) = second.from + second.step() * static_cast<double>(k / first.points);
    }
    Eigen::MatrixXd g(x_.rows(), x_.cols());
    mixwell::Workspace scratch;
    Eigen::RowVectorXd u(x_.cols());
    model.evaluate(x_, {u.data(), g, scratch});
    w_ = (u.minCoeff() - u.array()).exp();
    w_ /= w_.sum();
    edge_ = heaviest_at_edge(0, first);
    if (x_.rows() == 2) edge_ = std::max(edge_, heaviest_at_edge(1, second));
  }

  Eigen::ArrayXd x(Index i) const { return x_.row(i).transpose().array(); }
  double mean(const Eigen::ArrayXd& values) const { return (w_ * values.transpose()).sum(); }
  /// The largest weight at an edge over the largest of all.
  double edge() const { return edge_; }

 private:
  double heaviest_at_edge(Index i, const Range& range) const {
    double heaviest = 0;
    for (Index k = 0; k < x_.cols(); ++k) {
      const double distance = std::min(x_(i, k) - range.from, range.to - x_(i, k));
      if (distance < 0.5 * range.step()) heaviest = std::max(heaviest, w_[k]);
    }
    return heaviest / w_.maxCoeff();
  }

  Eigen::MatrixXd x_;
  Eigen::Array<double, 1, Eigen::Dynamic> w_;
  double edge_ = 0;
};

void compare_beta_binomial(const std::string& keys, const Range& first, const Range& second) {
  for (const char* kernel :
       {"use = \"nuts\"\n",
        "use = \"hamiltonian\"\ntarget_acceptance = 0.9\nsteps_jitter = [3, 12]\n"}) {
    const auto c = composing::compose(
        "[run]\nseed = 5\nreplicates = 32\nwarmup = 500\ndraws = 3000\n[model.b]\n"
        "use = \"beta-binomial\"\n" +
        keys + "[kernel.k]\n" + kernel);
    const Grid grid(*c.model(), first, second);
    REQUIRE(grid.edge() < 1e-9);
    const auto recorded = coordinates(c);
    const Eigen::ArrayXXd m = recorded[0].array();
    const Eigen::ArrayXXd draws[2] = {(m / (1 - m)).log(), recorded[1].array().log()};
    for (const Index i : {0, 1}) {
      INFO(kernel << "x" << i + 1);
      const double mean = grid.mean(grid.x(i));
      CHECK(std::abs(z_of_mean(draws[i], mean)) < 5);
      const double variance = grid.mean((grid.x(i) - mean).square());
      CHECK(std::abs(z_of_mean((draws[i] - mean).square(), variance)) < 5);
      CHECK(std::abs(z_of_mean((draws[i] - mean).cube(), grid.mean((grid.x(i) - mean).cube()))) <
            5);
    }
    CHECK(std::abs(z_of_mean(draws[0] * draws[1], grid.mean(grid.x(0) * grid.x(1)))) < 5);
    // Without the Jacobian's K the prior would be another: e^-x2 times the density.
    const Eigen::ArrayXd other = (-grid.x(1)).exp();
    CHECK(std::abs(z_of_mean(draws[1], grid.mean(other * grid.x(1)) / grid.mean(other))) > 10);
  }
}

}  // namespace

// |z| < 5 for 14 statistics a posterior: false alarm below 1e-5.
TEST_CASE("simulated overdispersed counts have the posterior that quadrature finds", "[nightly]") {
  compare_beta_binomial("cases = 30\nsizes = [40, 100]\n", {-12, 8, 401}, {-8, 42, 251});
}

TEST_CASE("the cancer mortality data have the posterior that quadrature finds", "[data]") {
  const std::string path = data_files::found("cancermortality/cancermortality.csv");
  compare_beta_binomial("data = \"" + path + "\"\n", {-16, 4, 401}, {-8, 45, 266});
}

TEST_CASE("one channel of a logistic source has the posterior that quadrature finds") {
  const auto c = composing::compose(
      "[run]\nseed = 5\nreplicates = 64\nwarmup = 300\ndraws = 2000\n[model.i]\nuse = \"ica\"\n"
      "channels = 1\ncases = 30\n[estimator.identity]\nuse = \"identity\"\n[kernel.k]\nuse = "
      "\"hamiltonian\"\ntarget_acceptance = 0.8\n"
      "steps_jitter = [2, 6]\n");
  const Grid grid(*c.model(), {-4, 4, 8001}, {0, 0, 1});
  REQUIRE(grid.edge() < 1e-9);
  // Both signs are alike, and few chains change theirs.
  const Eigen::ArrayXXd w = coordinates(c)[0].array().abs();
  CHECK(std::abs(z_of_mean(w, grid.mean(grid.x(0).abs()))) < 5);
  CHECK(std::abs(z_of_mean(w.square(), grid.mean(grid.x(0).square()))) < 5);
  CHECK(std::abs(z_of_mean(w.cube(), grid.mean(grid.x(0).abs().cube()))) < 5);
}
