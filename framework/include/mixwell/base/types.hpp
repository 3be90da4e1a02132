// The views every interface speaks: batches of columns, one column per replicate.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include <cassert>

namespace mixwell {

using Index = Eigen::Index;

/// d x R, column-major, contiguous (outer stride = rows): column j is replicate j.
using Batch = Eigen::Ref<Eigen::MatrixXd>;
/// A reference: a Ref of const carries memory of its own, too dear to pass on by value.
using ConstBatch = const Eigen::Ref<const Eigen::MatrixXd>&;
/// 1 x R, contiguous: one number per column.
using Row = Eigen::Ref<Eigen::RowVectorXd>;
using ConstRow = const Eigen::Ref<const Eigen::RowVectorXd>&;

using MatrixMap = Eigen::Map<Eigen::MatrixXd>;
using ConstMatrixMap = Eigen::Map<const Eigen::MatrixXd>;
using RowMap = Eigen::Map<Eigen::RowVectorXd>;
using ConstRowMap = Eigen::Map<const Eigen::RowVectorXd>;

/// All d*R numbers of a batch as one array, so that small d vectorises across columns.
/// Precondition: contiguous (every batch the framework hands out is).
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
