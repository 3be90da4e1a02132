// The matrix views that all interfaces use: batches of columns, one column for each replicate.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include <cassert>

namespace mixwell {

using Index = Eigen::Index;

/// d x R, column-major, contiguous (outer stride = rows). Column j is replicate j.
using Batch = Eigen::Ref<Eigen::MatrixXd>;
/// A reference, because an Eigen::Ref<const ...> has its own storage and is too expensive to copy.
using ConstBatch = const Eigen::Ref<const Eigen::MatrixXd>&;
/// 1 x R, contiguous: one number for each column.
using Row = Eigen::Ref<Eigen::RowVectorXd>;
using ConstRow = const Eigen::Ref<const Eigen::RowVectorXd>&;

using MatrixMap = Eigen::Map<Eigen::MatrixXd>;
using ConstMatrixMap = Eigen::Map<const Eigen::MatrixXd>;
using RowMap = Eigen::Map<Eigen::RowVectorXd>;
using ConstRowMap = Eigen::Map<const Eigen::RowVectorXd>;

/// All d*R entries of a batch as one array, so that code for small d vectorises across columns.
/// Precondition: the batch is contiguous. All batches from the framework are contiguous.
inline Eigen::Map<Eigen::ArrayXd> flat(Batch x) {
  assert(x.cols() <= 1 || x.outerStride() == x.rows());
  return {x.data(), x.size()};
}
inline Eigen::Map<const Eigen::ArrayXd> flat(ConstBatch x) {
  assert(x.cols() <= 1 || x.outerStride() == x.rows());
  return {x.data(), x.size()};
}
inline Eigen::Map<Eigen::ArrayXd> flat(MatrixMap x) { return {x.data(), x.size()}; }
inline Eigen::Map<const Eigen::ArrayXd> flat(ConstMatrixMap x) { return {x.data(), x.size()}; }

}  // namespace mixwell
