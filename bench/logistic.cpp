// The gradient of a logistic regression against plain Eigen, the speed of a matrix product,
// narrower batches, and two threads.
// SPDX-License-Identifier: Apache-2.0
#include "../models/logistic-regression/likelihood.hpp"
#include "ratio.hpp"

#include <mixwell/lab/sampler.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <string>

using namespace mixwell;
using logistic::Likelihood;

namespace {

constexpr std::array<Index, 10> widths{1, 2, 3, 4, 6, 8, 12, 16, 24, 32};

struct Size {
  Index cases;
  Index dimension;
  int rounds;

  std::string named(Index width) const {
    return "N = " + std::to_string(cases) + ", d = " + std::to_string(dimension) +
           ", R = " + std::to_string(width);
  }
  /// Evaluations in a row, as in a trajectory: each finds in the cache what the one before left.
  Index repetitions(Index width) const { return 1 + 80'000'000 / (cases * dimension * width); }
};

/// X row by row times +1 or -1, in two passes over it.
class Plain {
 public:
  explicit Plain(Eigen::MatrixXd x) : x_(std::move(x)) {}
  const Eigen::MatrixXd& x() const { return x_; }

  void evaluate(const Eigen::MatrixXd& theta, Eigen::RowVectorXd& u, Eigen::MatrixXd& g) {
    z_.noalias() = x_ * theta;
    w_ = (1.0 + z_.array().exp()).inverse();
    u = ((-z_.array()).max(0.0) - w_.array().max(1.0 - w_.array()).log()).colwise().sum();
    g.noalias() = -(x_.transpose() * w_);
  }

 private:
  Eigen::MatrixXd x_, z_, w_;
};

/// One size of data, with theta for the widest batch.
class Case {
 public:
  explicit Case(const Size& size)
      : size_(size), plain_(normals(size.cases, size.dimension, 0)), fused_(plain_.x(), labels()) {
    theta_ = 2.0 / std::sqrt(static_cast<double>(size.dimension)) *
             normals(size.dimension, widths.back(), 1);
  }

  auto plain(Index width) {
    return [this, width, theta = Eigen::MatrixXd(theta_.leftCols(width)),
            u = Eigen::RowVectorXd(width), g = Eigen::MatrixXd(size_.dimension, width)]() mutable {
      for (Index k = 0; k < size_.repetitions(width); ++k) plain_.evaluate(theta, u, g);
    };
  }
  auto fused(Index width) {
    return [this, width, theta = Eigen::MatrixXd(theta_.leftCols(width)),
            u = Eigen::RowVectorXd(width), g = Eigen::MatrixXd(size_.dimension, width)]() mutable {
      for (Index k = 0; k < size_.repetitions(width); ++k) {
        u.setZero();
        g.setZero();
        fused_.add_to(theta, {u.data(), g, scratch_});
      }
    };
  }
  double gradients(Index width) const {
    return static_cast<double>(width * size_.repetitions(width));
  }
  double operations(Index width) const {
    return 4.0 * static_cast<double>(size_.cases * size_.dimension) * gradients(width);
  }
  const Size& size() const { return size_; }

 private:
  static Eigen::MatrixXd normals(Index rows, Index cols, std::uint32_t draw) {
    Eigen::MatrixXd x(rows, cols);
    Stream(1, "bench/logistic").normals({0, draw, 0}, x);
    return x;
  }
  std::vector<bool> labels() const {
    return std::vector<bool>(static_cast<std::size_t>(size_.cases), true);
  }

  Size size_;
  Plain plain_;
  Likelihood fused_;
  Eigen::MatrixXd theta_;
  Workspace scratch_;
};

bool against_plain(Case& data) {
  bool met = true;
  for (const Index width : widths) {
    const auto r = bench::ratio(data.plain(width), data.fused(width), data.size().rounds);
    std::printf("%-66s %6.1f us, plain %.1f us\n", "  a gradient",
                1e6 * r.b / data.gradients(width), 1e6 * r.a / data.gradients(width));
    const std::string what = data.size().named(width) + ": plain Eigen / fused";
    const double goal = width == 1 ? 1.4 : 1.0;
    met = bench::print(what.c_str(), r, width == 1 ? ">= 1.4" : ">= 1", r.median >= goal) && met;
  }
  return met;
}

/// The time of one gradient, against that in the next narrower batch.
bool against_narrower(Case& data) {
  bool met = true;
  for (std::size_t k = 1; k < widths.size(); ++k) {
    const double factor = data.gradients(widths[k - 1]) / data.gradients(widths[k]);
    const auto r = bench::scaled(
        bench::ratio(data.fused(widths[k]), data.fused(widths[k - 1]), data.size().rounds), factor);
    const std::string what = data.size().named(widths[k]) + ": a gradient / one in a batch of " +
                             std::to_string(widths[k - 1]);
    met = bench::print(what.c_str(), r, "<= 1", r.median <= 1.0) && met;
  }
  return met;
}

bool against_product(Case& data) {
  constexpr Index n = 1024;
  const Eigen::MatrixXd a = Eigen::MatrixXd::Constant(n, n, 1.0 / n);
  Eigen::MatrixXd c(n, n);
  const auto product = [&] { c.noalias() = a * a; };
  bool met = true;
  for (const Index width : widths) {
    const double factor = data.operations(width) / (2.0 * n * n * n);
    const auto r = bench::scaled(bench::ratio(product, data.fused(width), 11), factor);
    const std::string what = data.size().named(width) + ": operations per second / of a product";
    const bool has_goal = width == 32 && data.size().dimension == 784;
    met = bench::print(what.c_str(), r, has_goal ? ">= 0.75" : "none",
                       !has_goal || r.median >= 0.75) &&
          met;
  }
  return met;
}

bool on_two_threads(Case& data, Index width) {
  auto body = data.fused(width);
  const auto on = [&](int threads) {
    return [&body, threads] { with_threads(threads, [&] { body(); }); };
  };
  const auto r = bench::ratio(on(1), on(2), 4 * data.size().rounds, bench::Clock::wall);
  const std::string what = data.size().named(width) + ": one thread / two threads";
  return bench::print(what.c_str(), r, ">= 1.8", r.best >= 1.8);
}

}  // namespace

int main() {
  bool met = true;
  for (const Size& size : {Size{12214, 784, 11}, Size{32561, 51, 21}, Size{1000, 25, 21}}) {
    Case data(size);
    with_threads(1, [&] {
      met = against_plain(data) && met;
      met = against_narrower(data) && met;
      met = against_product(data) && met;
    });
    if (size.dimension != 784) continue;
    for (const Index width : {1, 8}) met = on_two_threads(data, width) && met;
  }
  return met ? 0 : 1;
}
