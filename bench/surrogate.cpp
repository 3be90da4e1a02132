// A surrogate's gradient against that of all cases, what a point costs to learn, and after how many
// transitions the learning has paid.
// SPDX-License-Identifier: Apache-2.0
#include "../models/logistic-regression/likelihood.hpp"
#include "ratio.hpp"

#include <mixwell/base/random.hpp>
#include <mixwell/estimator.hpp>
#include <mixwell/lab/registry.hpp>
#include <mixwell/plugin.hpp>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

using namespace mixwell;

namespace {

constexpr Index case_count = 32561;  ///< of a9a
constexpr Index dimension = 51;
constexpr Index column_count = 16;
constexpr Index point_count = 1000;  ///< that a surrogate learns in all
constexpr int step_count = 20;       ///< L

std::shared_ptr<const Surrogate> network(Index nodes) {
  static const Registry registry = Registry::load(Registry::default_folders());
  const auto blueprint = registry.find(Kind::estimator, "elm-surrogate").blueprint();
  *std::get<std::int64_t*>(blueprint->fields().find("nodes")->target()) = nodes;
  const std::shared_ptr<const Component> made = blueprint->make();
  const Laplace at{Eigen::VectorXd::Zero(dimension),
                   Eigen::MatrixXd::Identity(dimension, dimension)};
  return std::dynamic_pointer_cast<const SurrogateEstimator>(made)->surrogate(at);
}

Eigen::MatrixXd normals(Index rows, Index columns, std::uint64_t k) {
  Eigen::MatrixXd x(rows, columns);
  Stream(5, "bench/surrogate").normals({k, 0, 0}, x);
  return x;
}

/// Gradients of a potential at the first columns of one batch, without the value.
class Gradients {
 public:
  Gradients(const Surrogate& z, Eigen::VectorXd numbers)
      : z_(z),
        numbers_(std::move(numbers)),
        theta_(normals(dimension, column_count, 1)),
        g_(theta_) {}

  void evaluate(Index width, int times) {
    for (int k = 0; k < times; ++k) {
      z_.evaluate(ConstMatrixMap(numbers_.data(), numbers_.size(), 1), theta_.leftCols(width),
                  {nullptr, g_.leftCols(width), scratch_});
    }
  }
  /// One point after the other, each with the gradient of N(0, I).
  void learn(int times) {
    for (int k = 0; k < times; ++k) {
      const Index j = next_++ % column_count;
      z_.learn(numbers_, theta_.col(j), theta_.col(j), scratch_);
    }
  }

 private:
  const Surrogate& z_;
  Eigen::VectorXd numbers_;
  Eigen::MatrixXd theta_;
  Eigen::MatrixXd g_;
  Index next_ = 0;
  Workspace scratch_;
};

/// The same of all cases.
class AllCases {
 public:
  AllCases()
      : likelihood_(normals(case_count, dimension, 0), labels()),
        theta_(0.1 * normals(dimension, column_count, 1)),
        g_(theta_) {}

  void evaluate(Index width, int times) {
    for (int k = 0; k < times; ++k) {
      likelihood_.add_to(theta_.leftCols(width), {nullptr, g_.leftCols(width), scratch_});
    }
  }

 private:
  static std::vector<bool> labels() {
    std::vector<bool> all(case_count);
    for (std::size_t n = 0; n < all.size(); n += 2) all[n] = true;
    return all;
  }

  logistic::Likelihood likelihood_;
  Eigen::MatrixXd theta_;
  Eigen::MatrixXd g_;
  Workspace scratch_;
};

/// Of `width` chains with one surrogate: transitions of each until the time that W saves in
/// trajectories is the time that went into point_count points and their gradients.
double break_even(Index width, double learn, double all, double z) {
  const double sweeps = static_cast<double>(point_count) / static_cast<double>(width);
  const double spent = static_cast<double>(point_count) * learn + sweeps * all;
  return spent / (step_count * (all - z));
}

bool compare(Index nodes, AllCases& cases) {
  const auto z = network(nodes);
  Gradients surrogate(*z, z->initial());
  const auto learnt = bench::scaled(
      bench::ratio([&] { surrogate.learn(1); }, [&] { cases.evaluate(1, 10); }, 21), 10.0);
  std::printf(
      "s = %td: a point learnt / a gradient of all cases, R = 1: %.1f (%.1f to %.1f), %.2f ms\n",
      nodes, learnt.median, learnt.low, learnt.high, 1e3 * learnt.a);
  bool met = true;
  for (const Index width : {Index{1}, column_count}) {
    const auto r = bench::scaled(
        bench::ratio([&] { surrogate.evaluate(width, 10); }, [&] { cases.evaluate(width, 1); }, 41),
        0.1);
    const std::string what = "gradient of z / of all cases, s = " + std::to_string(nodes) +
                             ", R = " + std::to_string(width);
    met &= bench::print(what.c_str(), r, "<= 0.25", r.median <= 0.25);
    std::printf("  has paid after %.0f transitions of each chain (L = %d, %td points in all)\n",
                break_even(width, learnt.a, r.b, r.a / 10.0), step_count, point_count);
  }
  return met;
}

}  // namespace

int main() {
  std::printf("N = %td, d = %td\n", case_count, dimension);
  AllCases cases;
  bool met = true;
  for (const Index nodes : {500, 1000, 2000}) met &= compare(nodes, cases);
  return met ? 0 : 1;
}
