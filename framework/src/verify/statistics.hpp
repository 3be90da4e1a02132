// Statistics of positions, and means with their standard errors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/types.hpp>
#include <mixwell/model.hpp>

#include <Eigen/Core>

#include <cmath>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

namespace mixwell {

/// Three directions of length 1, one per column. Calls with the same `role` return the same
/// directions. In one dimension there are none, because a projection would equal the coordinate.
Eigen::MatrixXd directions(Index dimension, std::string_view role);

/// U of the model at every column.
Eigen::RowVectorXd potentials(const Model& model, ConstBatch theta);

/// P(|Z| > z) of a standard normal Z.
inline double two_sided(double z) { return std::erfc(std::abs(z) / std::numbers::sqrt2); }

/// P(|T| > t) of Student's law.
double two_sided(double t, double degrees_of_freedom);

/// z >= 0 with P(|Z| > z) = p, by bisection.
double normal_bound(double p);

/// The mean of independent numbers with one distribution.
struct Mean {
  explicit Mean(const Eigen::ArrayXd& numbers);
  double count;
  double value;
  double error;  ///< standard error of `value`
  /// The mean in standard errors. Infinite if all numbers are equal but not 0.
  double z() const { return error > 0.0 ? value / error : (value == 0.0 ? 0.0 : INFINITY); }
};

/// The statistics of a ladder: theta_i, theta_i^2 and theta_i theta_{i+1} of the first
/// most_coordinates, squares of three projections, and U. The model must offer exact draws. Bounded
/// statistics are clipped on both sides, where one exact draw in a hundred lies beyond.
class LadderStatistics {
 public:
  static constexpr Index most_coordinates = 8;

  /// Throws InputError if the model has no exact draws.
  LadderStatistics(const Model& model, bool bounded);

  Index count() const noexcept { return static_cast<Index>(names_.size()); }
  const std::string& name(Index i) const { return names_[static_cast<std::size_t>(i)]; }
  /// One statistic per row, one replicate per column.
  Eigen::ArrayXXd of(ConstBatch theta) const;
  /// The statistics of half a million exact draws, in the same form.
  const Eigen::ArrayXXd& of_truth() const noexcept { return truth_; }

 private:
  Eigen::ArrayXXd unbounded(ConstBatch theta) const;

  const Model& model_;
  Eigen::MatrixXd directions_;  ///< one per column
  std::vector<std::string> names_;
  Eigen::ArrayXXd truth_;
  Eigen::ArrayXd lower_;  ///< empty: not bounded
  Eigen::ArrayXd upper_;
};

}  // namespace mixwell
