// The laws of a model with parameters integrated out, put to the test.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/contracts/finding.hpp>
#include <mixwell/model.hpp>

namespace mixwell::contracts {

/// At the columns of theta: the gradient of each marginal law is that of its U; neither reads what
/// is integrated out; and where the model draws z given the rest as well,
///   E grad_x U(x, z) = grad U(x),  z ~ pi(z | x),
/// the identity of Fisher, which holds of the right integral alone. A right law fails with
/// probability 1e-4.
void check_marginal_laws(const Model& model, const Eigen::MatrixXd& theta, Findings& findings);

}  // namespace mixwell::contracts
