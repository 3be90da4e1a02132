// A logistic regression of German credit's size as a log density against one whose gradient is
// written by hand.
// SPDX-License-Identifier: Apache-2.0
#include "../models/logistic-regression/likelihood.hpp"
#include "ratio.hpp"

#include <mixwell/density.hpp>
#include <mixwell/lab/sampler.hpp>

#include <cstdio>
#include <string>
#include <vector>

using namespace mixwell;

namespace {

constexpr Index case_count = 1000;
constexpr Index coefficients = 25;
constexpr double prior_sd = 10.0;

Eigen::MatrixXd normals(Index rows, Index cols, std::uint32_t draw) {
  Eigen::MatrixXd x(rows, cols);
  Stream(1, "bench/density").normals({0, draw, 0}, x);
  return x;
}

std::vector<bool> positives() {
  std::vector<bool> all;
  for (Index n = 0; n < case_count; ++n) all.push_back(n % 3 == 0);
  return all;
}

class Density final : public DensityModel<Density> {
 public:
  explicit Density(const Eigen::MatrixXd& x) : x_(x.transpose()), y_(case_count) {
    const std::vector<bool> all = positives();
    for (Index n = 0; n < y_.size(); ++n) y_[n] = all[static_cast<std::size_t>(n)] ? 1.0 : 0.0;
  }
  template <class S>
  S log_prior(const Values<S>& at) const {
    return normal_lpdf(at(beta_), 0, prior_sd);
  }
  Index cases() const { return y_.size(); }
  template <class S>
  S log_likelihood(const Values<S>& at, Index n) const {
    return bernoulli_logit_lpmf(y_[n], dot(x_.col(n), at(beta_)));
  }

 private:
  Eigen::MatrixXd x_;  ///< a column for each case
  Eigen::VectorXd y_;
  Vector beta_ = vector("beta", coefficients);
};

class Hand final : public Model {
 public:
  explicit Hand(const Eigen::MatrixXd& x) : likelihood_(x, positives()) {}
  std::vector<Parameter> parameters() const override {
    return {{.name = "beta", .shape = {coefficients}}};
  }

 private:
  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    Batch g = out.gradient;
    g = theta / (prior_sd * prior_sd);
    if (out.wants_potential())
      out.u() = theta.colwise().squaredNorm() / (2.0 * prior_sd * prior_sd);
    likelihood_.add_to(theta, out);
  }
  logistic::Likelihood likelihood_;
};

/// Evaluations of some milliseconds.
auto evaluations(const Model& model, Index width) {
  return [&model, theta = Eigen::MatrixXd(0.3 * normals(coefficients, width, 1)),
          u = Eigen::RowVectorXd(width), g = Eigen::MatrixXd(coefficients, width),
          scratch = Workspace()]() mutable {
    for (Index k = 0; k < 200 / theta.cols(); ++k) model.evaluate(theta, {u.data(), g, scratch});
  };
}

bool compare(const Model& density, const Model& hand, Index width) {
  const bench::Ratio r = bench::ratio(evaluations(density, width), evaluations(hand, width));
  const double gradients = static_cast<double>(200 / width * width);
  std::printf("%-66s %6.1f us, by hand %.1f us\n", "  a gradient", 1e6 * r.a / gradients,
              1e6 * r.b / gradients);
  const std::string what = "N = 1000, d = 25, R = " + std::to_string(width) + ": density / by hand";
  const bool has_goal = width == 1;
  return bench::print(what.c_str(), r, has_goal ? "<= 5" : "none", !has_goal || r.median <= 5.0);
}

}  // namespace

int main() {
  const Eigen::MatrixXd x = normals(case_count, coefficients, 0);
  const Density density(x);
  const Hand hand(x);
  bool met = true;
  with_threads(1, [&] {
    for (const Index width : {1, 8, 32}) met = compare(density, hand, width) && met;
  });
  return met ? 0 : 1;
}
