// The contract of every Model.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/contracts/finding.hpp>
#include <mixwell/model.hpp>

namespace mixwell::contracts {

/// Checks, on points that the model itself starts from:
///   parameters      names are unique and fit for a file of draws; every size is at least 1
///   initial         the same numbers each time, by replicate; U and its gradient are finite there
///   purity          evaluating twice gives the same bits
///   gradient        equals differences of U to 1e-6 (see gradient_error)
///   gradient growth slopes of the gradient stay bounded where Model::gradient_growth says so: far
///                   out for `lipschitz`, near 0 for `locally_lipschitz` too
///   batch           columns together and alone agree to 1e-12
///   isolation       NaN, infinite and huge neighbours change no bit of a column
///   gradient only   not asking for U changes no bit of the gradient
///   potential alone not asking for the gradient changes U by 1e-12 of 1 + |U| at most
///   derived         fills every quantity, from its own column only; names are unique
///   block potential U given some of the coordinates is the whole U there to 1e-11, and so is its
///                   gradient; its cache does not depend on these coordinates
///   gaussian prior  U less the prior's part and the likelihood does not change with the parameters
///                   that the prior is of, to 1e-9
///   metric          G is symmetric and positive definite
///   metric derivative
///                   its contraction with a symmetric W equals differences of sum_ab W_ab G_ab
///   metric columns  a column alone, and among columns of NaN, agree to 1e-12
///   Hessian products
///                   equal differences of the gradient to 1e-6
///   sum of terms    U_0 and all terms add up to U and its gradient, to 1e-12
///   terms singly    gradients one by one add up to that of the list, to 1e-12
///   terms repeated  a term that is listed three times counts three times, to 1e-12
///   terms by column a column alone, and among columns with other lists and with NaN, agree to
///   1e-12 gradient of terms
///                   equals differences of the sum over a list to 1e-6 (see gradient_error)
///   terms gradient only
///                   not asking for U changes no bit of the gradient
///   exact addresses, prior addresses
///                   a draw belongs to its replicate, whatever the batch; sweeps differ
///   exact law       identities of Stein hold for exact draws: with f = 1, theta_i, theta_i^3, and
///                   (U - c) theta, E[f dU/dtheta_j] = E[df/dtheta_j]
///   exact draws are independent
///                   across replicates and across sweeps
///   data draws      theta from the prior and data drawn with it: identities of Stein for the
///                   posterior of these data hold at theta
/// The last three are tests at a fixed seed: of a right model they reject one in 10^4 each. Clauses
/// that compare bits are left out for a model that is not pure, the exact ones for a wrong
/// gradient.
Findings check_model(const Model& model);

}  // namespace mixwell::contracts
