// An unbiased estimate of a model's density, put to the test.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/contracts/finding.hpp>
#include <mixwell/model.hpp>

namespace mixwell::contracts {

/// With U as the model evaluates it: E exp(U(theta) - Uhat(theta; z)) is the same at all columns of
/// theta, and z of draw_weighted are in balance with exp(-Uhat) N(z; 0, I). Both by averages of
/// 20 000 draws; a right estimate fails with probability 2e-4. Where U is not finite there is
/// nothing to compare the estimate with, and the first clause says so.
void check_estimated_density(const Model& model, const Eigen::MatrixXd& theta, Findings& findings);

}  // namespace mixwell::contracts
