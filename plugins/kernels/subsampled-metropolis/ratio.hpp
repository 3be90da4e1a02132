// The mean of what each case adds to the logarithm of a Metropolis ratio, from some of the cases.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mixwell::subsampled {

/// Two ends of a proposal, d x 1 each.
struct Ends {
  ConstMatrixMap from;
  ConstMatrixMap to;
};

/// Mean and spread of l_n = u_n(theta) - u_n(theta*) over cases drawn with replacement.
class Ratio {
 public:
  double count() const noexcept { return count_; }
  double mean() const noexcept { return mean_; }
  /// Divided by the number of cases.
  double variance() const noexcept { return squares_ / count_; }
  double largest() const noexcept { return largest_; }

  /// Takes in the cases that so many uniform numbers choose. 2 d a case beside two u_n.
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

  /// The mean over all cases. 2 N terms.
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

}  // namespace mixwell::subsampled
