// What statistics of positions are made from.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/model.hpp>
#include <mixwell/types.hpp>

#include <Eigen/Core>

#include <string_view>

namespace mixwell {

/// Three directions of length 1, a column each, the same whenever `role` is; none in one dimension,
/// where a projection is the coordinate.
Eigen::MatrixXd directions(Index dimension, std::string_view role);

/// U of the model at every column.
Eigen::RowVectorXd potentials(const Model& model, ConstBatch theta);

}  // namespace mixwell
