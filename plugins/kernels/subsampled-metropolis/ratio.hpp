// The mean log Metropolis ratio of sampled cases, and checks that compare it with a threshold.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <optional>
#include <vector>

namespace mixwell::subsampled {

/// The two ends of a proposal, d x 1 each.
struct Ends {
  ConstMatrixMap from;
  ConstMatrixMap to;
};

/// Mean and spread of l_n = u_n(theta) - u_n(theta*) over cases drawn with replacement.
class Ratio {
 public:
  double count() const noexcept { return count_; }
  double mean() const noexcept { return mean_; }
  /// The variance, with the number of cases as the denominator.
  double variance() const noexcept { return squares_ / count_; }
  double largest() const noexcept { return largest_; }

  /// Adds `cases` cases, chosen by the uniforms. Costs two u_n and 2 d operations for each case.
  void add(const SumOfTerms& sum, const Ends& ends, const double* uniforms, Index cases,
           Workspace& scratch) {
    const auto N = static_cast<double>(sum.terms());
    const Workspace::Frame frame(scratch);
    RowMap chosen = scratch.row(cases);
    for (Index k = 0; k < cases; ++k) chosen(k) = std::floor(uniforms[k] * N);
    const RowMap before = terms(sum, ends.from, chosen, scratch);
    const RowMap after = terms(sum, ends.to, chosen, scratch);
    for (Index k = 0; k < cases; ++k) take(before(k) - after(k));
  }

  /// The mean over all cases. Evaluates 2 N terms.
  static double of_all(const SumOfTerms& sum, const Ends& ends, Workspace& scratch) {
    const Workspace::Frame frame(scratch);
    const Index N = sum.terms();
    MatrixMap all = scratch.matrix(N, 1);
    for (Index n = 0; n < N; ++n) all(n, 0) = static_cast<double>(n);
    return (sum_over(sum, ends.from, all, scratch) - sum_over(sum, ends.to, all, scratch)) /
           static_cast<double>(N);
  }

  /// U_0(theta) - U_0(theta*).
  static double of_rest(const SumOfTerms& sum, const Ends& ends, Workspace& scratch) {
    const auto at = [&](const ConstMatrixMap& theta) {
      const Workspace::Frame frame(scratch);
      double u = 0.0;
      MatrixMap g = scratch.matrix(theta.rows(), 1);
      sum.evaluate_rest(theta, {&u, g, scratch});
      return u;
    };
    return at(ends.from) - at(ends.to);
  }

 private:
  static RowMap terms(const SumOfTerms& sum, const ConstMatrixMap& theta, const RowMap& cases,
                      Workspace& scratch) {
    RowMap u = scratch.row(cases.cols());
    MatrixMap points = scratch.matrix(theta.rows(), cases.cols());
    MatrixMap g = scratch.matrix(theta.rows(), cases.cols());
    points.colwise() = theta.col(0);
    sum.evaluate_terms(points, cases, {u.data(), g, scratch});
    return u;
  }

  static double sum_over(const SumOfTerms& sum, const ConstMatrixMap& theta, const MatrixMap& cases,
                         Workspace& scratch) {
    const Workspace::Frame frame(scratch);
    double u = 0.0;
    MatrixMap g = scratch.matrix(theta.rows(), 1);
    sum.evaluate_terms(theta, cases, {&u, g, scratch});
    return u;
  }

  void take(double l) {
    count_ += 1.0;
    const double off = l - mean_;
    mean_ += off / count_;
    squares_ += off * (l - mean_);
    largest_ = std::max(largest_, std::abs(l));
  }

  double count_ = 0.0;
  double mean_ = 0.0;
  double squares_ = 0.0;
  double largest_ = 0.0;
};

/// The number of cases read at each check: the first batch, and then twice as many at each check
/// while the number is below N. After the last of these checks, all cases decide.
inline std::vector<Index> looks_of(Index first, Index cases) {
  std::vector<Index> looks;
  for (Index t = first; t < cases; t *= 2) looks.push_back(t);
  return looks;
}

/// Decides whether the mean is clearly different from `threshold`.
class Stopping {
 public:
  /// `error` is an error probability: of each check in the sequential test, or of all `looks`
  /// checks together with the bound.
  Stopping(double error, std::size_t looks, std::optional<double> lipschitz)
      : error_(error), looks_(static_cast<double>(looks)), lipschitz_(lipschitz) {}

  bool is_bound() const noexcept { return lipschitz_.has_value(); }
  /// `distance`: |theta* - theta|.
  bool is_enough(const Ratio& of, double threshold, double distance) const {
    const double off = std::abs(of.mean() - threshold);
    return is_bound() ? off > half_width(of, distance) : tail(of, off) < error_;
  }
  /// The bound on |l_n|.
  double largest(double distance) const { return *lipschitz_ * distance; }

 private:
  /// Half width of an interval for the mean, by the empirical Bernstein inequality (Audibert, Munos
  /// & Szepesvari 2009, theorem 1): sqrt(2 s^2 x / t) + 3 r x / t with range r and x = log(3 looks
  /// / error), where r is twice the bound on |l_n|.
  double half_width(const Ratio& of, double distance) const {
    const double x = std::log(3.0 * looks_ / error_);
    return std::sqrt(2.0 * of.variance() * x / of.count()) +
           6.0 * largest(distance) * x / of.count();
  }

  /// P(N(0, 1) > off / se). The normal replaces Student's t with t - 1 >= 29 degrees of freedom.
  static double tail(const Ratio& of, double off) {
    const double se = std::sqrt(of.variance() / (of.count() - 1.0));
    if (!(se > 0.0)) return off > 0.0 ? 0.0 : 1.0;
    return 0.5 * std::erfc(off / se / std::numbers::sqrt2);
  }

  double error_;
  double looks_;
  std::optional<double> lipschitz_;
};

}  // namespace mixwell::subsampled
