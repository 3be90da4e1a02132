// What a model says of a Gaussian prior, against its U.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/contracts/finding.hpp>
#include <mixwell/model.hpp>

namespace mixwell::contracts {

/// Of a model that is a GaussianPrior: U less (x - m)' (L L')^-1 (x - m) / 2 less the likelihood
/// does not change with x, at positions that differ in x alone; to 1e-9 of the numbers that it is
/// the difference of. O(b^3) for each column of theta (d x w).
Finding check_gaussian_prior(const Model& model, const Eigen::MatrixXd& theta);

}  // namespace mixwell::contracts
