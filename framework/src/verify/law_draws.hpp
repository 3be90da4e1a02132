// Independent draws from any density in one or two dimensions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/types.hpp>

#include <Eigen/Core>

#include <functional>
#include <vector>

namespace mixwell {

/// U at every column of theta (d x w).
using PotentialAt = std::function<void(ConstBatch theta, Row u)>;

/// Draws from exp(-U) on a grid over the part of [-1e7, 1e7]^d that is within 16 nats of the best
/// cell. Draws are uniform within each cell. With cells of width h, a variance is too large by h^2
/// / 12. For a Gaussian, this is 0.02 to 0.04 % with 257 cells per coordinate, and 1.0 to 1.5 %
/// with 33 cells. Features much narrower than a cell are lost.
class LawDraws {
 public:
  static constexpr Index most_dimensions = 2;

  /// Throws InputError if U is finite nowhere, if there is mass at the edge, or if U changes so
  /// much from cell to cell that draws must not be uniform within a cell.
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
  /// U at all cell centres minus the smallest of them.
  Eigen::RowVectorXd excess(const PotentialAt& potential) const;
  /// Mean |change of U| between neighbouring cells in any coordinate. The mean is over the law on
  /// the grid.
  double roughness(const Eigen::RowVectorXd& excess) const;
  /// The part of the box where U is close enough to U of the best cell.
  Box narrowed(const Eigen::RowVectorXd& excess) const;

  Index dimension_;
  Index cells_;  ///< of one coordinate
  Box box_;
  std::vector<double> cumulative_;  ///< weights of cells; the first coordinate varies fastest
};

}  // namespace mixwell
