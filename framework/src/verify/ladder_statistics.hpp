// What the error of a scheme without Metropolis is told by.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/model.hpp>

#include <Eigen/Core>

#include <string>
#include <vector>

namespace mixwell {

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
