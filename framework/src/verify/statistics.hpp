// What statistics of positions are made from, and how far off their means are.
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

/// Three directions of length 1, a column each, the same whenever `role` is; none in one dimension,
/// where a projection is the coordinate.
Eigen::MatrixXd directions(Index dimension, std::string_view role);

/// U of the model at every column.
Eigen::RowVectorXd potentials(const Model& model, ConstBatch theta);

/// P(|Z| > z) of a standard normal Z.
inline double two_sided(double z) { return std::erfc(std::abs(z) / std::numbers::sqrt2); }

/// P(|T| > t) of Student's law.
double two_sided(double t, double degrees_of_freedom);

/// z >= 0 with P(|Z| > z) = p, by bisection.
double normal_bound(double p);

/// The mean of independent numbers of one law.
struct Mean {
  explicit Mean(const Eigen::ArrayXd& numbers);
  double count;
  double value;
  double error;  ///< its standard error
  /// In standard errors; infinite where all numbers are the same, and not 0.
  double z() const { return error > 0.0 ? value / error : (value == 0.0 ? 0.0 : INFINITY); }
};

/// theta_i, theta_i^2, theta_i theta_{i+1}, squares of three projections, U; of the first
/// most_coordinates. Of a model with exact draws; bounded: clipped where one draw in a hundred lies
/// beyond, on either side.
class LadderStatistics {
 public:
  static constexpr Index most_coordinates = 8;

  /// Throws InputError where the model has no exact draws.
  LadderStatistics(const Model& model, bool bounded);

  Index count() const noexcept { return static_cast<Index>(names_.size()); }
  const std::string& name(Index i) const { return names_[static_cast<std::size_t>(i)]; }
  /// A row a statistic, a column a replicate.
  Eigen::ArrayXXd of(ConstBatch theta) const;
  /// The same of half a million exact draws.
  const Eigen::ArrayXXd& of_truth() const noexcept { return truth_; }

 private:
  Eigen::ArrayXXd unbounded(ConstBatch theta) const;

  const Model& model_;
  Eigen::MatrixXd directions_;  ///< a column each
  std::vector<std::string> names_;
  Eigen::ArrayXXd truth_;
  Eigen::ArrayXd lower_;  ///< empty: not bounded
  Eigen::ArrayXd upper_;
};

}  // namespace mixwell
