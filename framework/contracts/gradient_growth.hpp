// What a model declares of how its gradient grows, put to the test.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/contracts/finding.hpp>
#include <mixwell/model.hpp>

namespace mixwell::contracts {

/// Slopes |grad U(x) - grad U(y)| / |x - y| of a model that declares `lipschitz` stay bounded as x
/// and y go to infinity, along random directions; of one that declares that or `locally_lipschitz`,
/// as a coordinate of x and y goes to 0, where most singularities are. Whoever declares less claims
/// nothing that could be wrong.
Finding check_gradient_growth(const Model& model, const Eigen::MatrixXd& theta);

}  // namespace mixwell::contracts
