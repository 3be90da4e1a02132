// Normal likelihood of ratings given the factors: potential, gradient, terms, predictions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "layout.hpp"
#include "ratings.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

namespace mixwell::factorisation {

/// y_n ~ N(offset + u_i'v_j + a_i + b_j, 1 / precision), where (i, j) are the user and the item of
/// rating n. Functions take one position (Layout::dimension() numbers).
class Likelihood {
 public:
  Likelihood(Layout layout, Ratings ratings, double offset, double precision)
      : layout_(layout), ratings_(std::move(ratings)), offset_(offset), precision_(precision) {}

  const Ratings& ratings() const noexcept { return ratings_; }
  double precision() const noexcept { return precision_; }
  double offset() const noexcept { return offset_; }

  /// The ratings of one stratum form `strata` blocks that share no user and no item. Users and
  /// items are assigned to blocks by their index modulo `strata`; the stratum is the difference of
  /// the two blocks.
  Index stratum(Index n, Index strata) const {
    const auto [i, j] = pair(n);
    return (j % strata - i % strata + strata) % strata;
  }

  /// The expected rating n, without noise. 2 K operations.
  double expected(const double* theta, Index n) const {
    const auto [i, j] = pair(n);
    double value = offset_ + row(theta, Side::users, i).dot(row(theta, Side::items, j));
    if (layout_.biases)
      value += theta[layout_.bias(Side::users) + i] + theta[layout_.bias(Side::items) + j];
    return value;
  }

  /// precision (y_n - expected)^2 / 2. 2 K operations.
  double term(const double* theta, Index n) const {
    const double off = expected(theta, n) - ratings_.values[n];
    return 0.5 * precision_ * off * off;
  }

  /// Returns term(theta, n), and adds its gradient to g. 6 K operations.
  double add_term(const double* theta, Index n, double* g) const {
    const auto [i, j] = pair(n);
    const double off = expected(theta, n) - ratings_.values[n];
    const double pull = precision_ * off;
    Factors(g + layout_.factors(Side::users) + i * layout_.rank, layout_.rank) +=
        pull * row(theta, Side::items, j);
    Factors(g + layout_.factors(Side::items) + j * layout_.rank, layout_.rank) +=
        pull * row(theta, Side::users, i);
    if (layout_.biases) {
      g[layout_.bias(Side::users) + i] += pull;
      g[layout_.bias(Side::items) + j] += pull;
    }
    return 0.5 * pull * off;
  }

 private:
  using Factors = Eigen::Map<Eigen::VectorXd>;
  using ConstFactors = Eigen::Map<const Eigen::VectorXd>;

  std::pair<Index, Index> pair(Index n) const {
    const auto k = static_cast<std::size_t>(n);
    return {ratings_.users[k], ratings_.items[k]};
  }
  ConstFactors row(const double* theta, Side side, Index i) const {
    return {theta + layout_.factors(side) + i * layout_.rank, layout_.rank};
  }

  Layout layout_;
  Ratings ratings_;
  double offset_;
  double precision_;
};

/// The expected ratings of held-out pairs for each draw, clamped to the interval `clip`.
class HeldOut final : public Prediction {
 public:
  HeldOut(Likelihood likelihood, std::optional<Interval> clip)
      : likelihood_(std::move(likelihood)), clip_(clip) {}

  Index cases() const override { return likelihood_.ratings().size(); }
  void predict(ConstBatch theta, Batch out) const override {
    for (Index r = 0; r < theta.cols(); ++r) {
      for (Index n = 0; n < cases(); ++n)
        out(n, r) = clipped(likelihood_.expected(theta.col(r).data(), n));
    }
  }
  std::string measure() const override { return "root mean square error"; }
  double error(const Eigen::VectorXd& averages) const override {
    return std::sqrt((averages - likelihood_.ratings().values).squaredNorm() /
                     static_cast<double>(cases()));
  }

 private:
  double clipped(double rating) const {
    return clip_ ? std::clamp(rating, clip_->first, clip_->second) : rating;
  }

  Likelihood likelihood_;
  std::optional<Interval> clip_;
};

}  // namespace mixwell::factorisation
