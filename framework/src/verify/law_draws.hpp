// Independent draws of any density in one or two dimensions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/types.hpp>

#include <Eigen/Core>

#include <functional>
#include <vector>

namespace mixwell {

/// U at every column of theta (d x w).
using PotentialAt = std::function<void(ConstBatch theta, Row u)>;

/// exp(-U) on a grid, over all of [-1e7, 1e7]^d that is within 16 nats of the best cell; uniform
/// within each cell. With cells of width h a variance comes out too large by h^2 / 12: for a
/// Gaussian 0.02 to 0.04 % with 257 cells a coordinate, 1.0 to 1.5 % with 33. What is much narrower
/// than a cell is lost.
class LawDraws {
 public:
  static constexpr Index most_dimensions = 2;

  /// Throws InputError where U is not finite anywhere, there is mass at the edge, or U changes too
  /// much from cell to cell for draws that are uniform in a cell.
  LawDraws(Index dimension, Index cells, const PotentialAt& potential);

  /// uniforms (1 + d) x R -> theta d x R.
  void draw(ConstBatch uniforms, Batch theta) const;

 private:
  struct Box {
    Eigen::ArrayXd lower;
    Eigen::ArrayXd upper;
  };

  Eigen::ArrayXd cell() const { return (box_.upper - box_.lower) / static_cast<double>(cells_); }
  Eigen::MatrixXd centres() const;
  /// U at all centres less the least of them.
  Eigen::RowVectorXd excess(const PotentialAt& potential) const;
  /// Mean |change of U| to the next cell of any coordinate, under the law.
  double roughness(const Eigen::RowVectorXd& excess) const;
  /// What of the box is near enough to the best cell.
  Box narrowed(const Eigen::RowVectorXd& excess) const;

  Index dimension_;
  Index cells_;  ///< of a coordinate
  Box box_;
  std::vector<double> cumulative_;  ///< of the cells' weights, first coordinate fastest
};

}  // namespace mixwell
