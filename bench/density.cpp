// A logistic regression of German credit's size as a log density against one whose gradient is
// written by hand, and densities of other kinds differentiated in reverse and forward.
// SPDX-License-Identifier: Apache-2.0
#include "../models/logistic-regression/likelihood.hpp"
#include "logistic_density.hpp"
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
constexpr double prior_sd = bench::LogisticDensity<false>::prior_sd;

Eigen::MatrixXd normals(Index rows, Index cols, std::uint32_t draw) {
  Eigen::MatrixXd x(rows, cols);
  Stream(1, "bench/density").normals({0, draw, 0}, x);
  return x;
}

class Hand final : public Model, public SumOfTerms {
 public:
  explicit Hand(const Eigen::MatrixXd& x) : likelihood_(x, bench::positives(x.rows())) {}
  std::vector<Parameter> parameters() const override {
    return {{.name = "beta", .shape = {coefficients}}};
  }
  Index terms() const noexcept override { return likelihood_.cases(); }
  void evaluate_rest(ConstBatch theta, const Evaluation& out) const override {
    Batch g = out.gradient;
    g = theta / (prior_sd * prior_sd);
    if (out.wants_potential())
      out.u() = theta.colwise().squaredNorm() / (2.0 * prior_sd * prior_sd);
  }
  void evaluate_terms(ConstBatch theta, ConstBatch indices, const Evaluation& out) const override {
    likelihood_.evaluate_terms(theta, indices, out);
  }
  void gradients_of_terms(ConstBatch theta, ConstBatch indices, Batch out,
                          Workspace& scratch) const override {
    likelihood_.gradients_of_terms(theta, indices, out, scratch);
  }

 private:
  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    evaluate_rest(theta, out);
    likelihood_.add_to(theta, out);
  }
  logistic::Likelihood likelihood_;
};

/// Counts of 8 groups, 6 of each.
template <bool forward>
class Hierarchy final : public DensityModel<Hierarchy<forward>> {
 public:
  static constexpr bool differentiates_forward = forward;
  template <class S>
  S log_prior(const Values<S>& at) const {
    return normal_lpdf(at(alpha_), 0, 2) + normal_lpdf(at(beta_), 0, 1) +
           normal_lpdf(at(tau_), 0, 1) + std_normal_lpdf(at(z_));
  }
  Index cases() const { return x_.size(); }
  template <class S>
  S log_likelihood(const Values<S>& at, Index n) const {
    return poisson_log_lpmf(static_cast<double>(n % 5),
                            at(alpha_) + at(beta_) * x_[n] + at(tau_) * at(z_)[n / 6]);
  }

 private:
  using Base = DensityModel<Hierarchy>;
  Eigen::VectorXd x_ = normals(48, 1, 2);
  typename Base::Scalar alpha_ = this->scalar("alpha"), beta_ = this->scalar("beta");
  typename Base::Scalar tau_ = this->scalar("tau", Constraint::positive());
  typename Base::Vector z_ = this->vector("z", 8);
};

/// A random walk of `length` values, no product over cases.
template <bool forward>
class Walk final : public DensityModel<Walk<forward>> {
 public:
  static constexpr bool differentiates_forward = forward;
  explicit Walk(Index length) : x_(this->vector("x", length)) {}
  template <class S>
  S log_density(const Values<S>& at) const {
    const VectorView<S> x = at(x_);
    S sum = student_t_lpdf(x[0], 4, 0, 1);
    for (Index t = 1; t < x.size(); ++t) sum += normal_lpdf(x[t], 0.9 * x[t - 1], exp(0.1 * x[0]));
    return sum;
  }

 private:
  typename DensityModel<Walk>::Vector x_;
};

/// Evaluations of some milliseconds.
auto evaluations(const Model& model, Index width) {
  const Index d = model.dimension();
  return
      [&model, theta = Eigen::MatrixXd(0.3 * normals(d, width, 1)), u = Eigen::RowVectorXd(width),
       g = Eigen::MatrixXd(d, width), scratch = Workspace()]() mutable {
        for (Index k = 0; k < 200 / theta.cols(); ++k)
          model.evaluate(theta, {u.data(), g, scratch});
      };
}

void compare_ways(const char* name, const Model& reverse, const Model& forward) {
  for (const Index width : {1, 8, 32}) {
    const bench::Ratio r = bench::ratio(evaluations(reverse, width), evaluations(forward, width));
    const double gradients = static_cast<double>(200 / width * width);
    std::printf("%-66s %6.2f us, forward %.2f us\n", "  a gradient", 1e6 * r.a / gradients,
                1e6 * r.b / gradients);
    bench::print(
        (std::string(name) + ", R = " + std::to_string(width) + ": reverse / forward").c_str(), r,
        "none", true);
  }
}

bool compare(const Model& density, const Model& hand, Index width) {
  const bench::Ratio r = bench::ratio(evaluations(density, width), evaluations(hand, width));
  const double gradients = static_cast<double>(200 / width * width);
  std::printf("%-66s %6.1f us, by hand %.1f us\n", "  a gradient", 1e6 * r.a / gradients,
              1e6 * r.b / gradients);
  const std::string what = "N = 1000, d = 25, R = " + std::to_string(width) + ": density / by hand";
  const bool has_goal = width == 1;
  return bench::print(what.c_str(), r, has_goal ? "<= 2.5" : "none", !has_goal || r.median <= 2.5);
}

/// Some milliseconds of what a minibatch oracle asks for: the rest, and 100 cases of each column.
auto minibatches(const Model& model, Index width) {
  constexpr Index size = 100;
  const Index d = model.dimension();
  Eigen::MatrixXd indices(size, width);
  for (Index j = 0; j < width; ++j)
    for (Index k = 0; k < size; ++k)
      indices(k, j) = static_cast<double>((7919 * (j * size + k) + 31 * k * k) % case_count);
  return [&sum = *model.offers<SumOfTerms>(), indices,
          theta = Eigen::MatrixXd(0.3 * normals(d, width, 1)), g = Eigen::MatrixXd(d, width),
          scratch = Workspace()]() mutable {
    for (Index k = 0; k < 1000 / theta.cols(); ++k) {
      sum.evaluate_rest(theta, {nullptr, g, scratch});
      sum.evaluate_terms(theta, indices, {nullptr, g, scratch});
    }
  };
}

void compare_minibatches(const Model& density, const Model& forward, const Model& hand) {
  for (const Index width : {1, 8}) {
    const double gradients = static_cast<double>(1000 / width * width);
    const std::string what = "minibatches of 100, R = " + std::to_string(width) + ": reverse / ";
    const bench::Ratio r = bench::ratio(minibatches(density, width), minibatches(forward, width));
    const bench::Ratio s = bench::ratio(minibatches(density, width), minibatches(hand, width));
    std::printf("%-66s %6.2f us, forward %.2f us, by hand %.2f us\n", "  a gradient",
                1e6 * r.a / gradients, 1e6 * r.b / gradients, 1e6 * s.b / gradients);
    bench::print((what + "forward").c_str(), r, "none", true);
    bench::print((what + "by hand").c_str(), s, "none", true);
  }
}

}  // namespace

int main() {
  const Eigen::MatrixXd x = normals(case_count, coefficients, 0);
  const bench::LogisticDensity<false> density(x.transpose());
  const Hand hand(x);
  bool met = true;
  with_threads(1, [&] {
    for (const Index width : {1, 8, 32}) met = compare(density, hand, width) && met;
    compare_ways("a logistic regression", density, bench::LogisticDensity<true>(x.transpose()));
    compare_minibatches(density, bench::LogisticDensity<true>(x.transpose()), hand);
    compare_ways("a hierarchy of 48 counts", Hierarchy<false>(), Hierarchy<true>());
    compare_ways("a random walk of 2", Walk<false>(2), Walk<true>(2));
    compare_ways("a random walk of 200", Walk<false>(200), Walk<true>(200));
  });
  return met ? 0 : 1;
}
