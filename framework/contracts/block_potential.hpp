// What a model makes of U given some of its coordinates, against the whole U.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/contracts/finding.hpp>
#include <mixwell/model.hpp>

namespace mixwell::contracts {

/// Of a model's block potentials for a few sets of coordinates (the first half, every third, the
/// last alone), where it offers them, at columns of theta (d x w, w >= 2): U and its gradient are
/// those of the whole U to 1e-11; a column alone and among columns of NaN agrees to 1e-12; what
/// stands in the rows of the block when the cache is made changes no bit; U and gradient asked for
/// by themselves are the same. Nothing where it offers none.
Findings check_block_potentials(const Model& model, const Eigen::MatrixXd& theta);

}  // namespace mixwell::contracts
