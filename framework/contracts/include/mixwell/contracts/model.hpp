// The contract of every Model.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/contracts/finding.hpp>
#include <mixwell/model.hpp>

namespace mixwell::contracts {

/// Checks a model at its own initial positions:
///   parameters      names are unique and valid for a file of draws; every size is at least 1
///   initial         a replicate has the same starting point each time; U and its gradient are
///                   finite at this point
///   purity          evaluating twice gives the same bits
///   gradient        the gradient equals differences of U to 1e-6 (see gradient_error)
///   gradient growth slopes of the gradient stay bounded as Model::gradient_growth declares: far
///                   from the starting points for `lipschitz`, and near 0 for `lipschitz` and
///                   `locally_lipschitz`
///   batch           columns evaluated together and separately agree to 1e-12
///   isolation       NaN, infinite and huge neighbours change no bit of a column
///   gradient only   not requesting U changes no bit of the gradient
///   potential only  not requesting the gradient changes U by at most 1e-12 of 1 + |U|
///   derived         every quantity is filled, and depends only on its own column; names are unique
///   conditional potential
///                   as functions of some coordinates, U and its gradient equal those of the
///                   whole model to 1e-11; the cache does not depend on these coordinates
///   gaussian prior  U - (potential of the prior) - (potential of the likelihood) does not
///                   change with the parameters that have the prior, to 1e-9
///   metric          G is symmetric and positive definite
///   metric derivative
///                   the contraction with a symmetric W equals differences of sum_ab W_ab G_ab
///   metric columns  a column evaluated alone equals the same column among columns of NaN to 1e-12
///   Hessian products
///                   the products equal differences of the gradient to 1e-6
///   sum of terms    U_0 and all terms add up to U and its gradient, to 1e-12
///   terms one by one
///                   gradients of single terms add up to the gradient of the list, to 1e-12
///   terms repeated  a term that is listed three times counts three times, to 1e-12
///   terms by column a column evaluated alone equals the same column among columns with other
///                   lists and with NaN, to 1e-12
///   gradient of terms
///                   the gradient of a list of terms equals differences of their sum to 1e-6
///                   (see gradient_error)
///   terms gradient only
///                   not requesting U changes no bit of the gradient
///   exact addresses, prior addresses
///                   a draw depends on its replicate but not on the batch; different sweeps
///                   give different draws
///   exact law       Stein identities hold for exact draws: with f = 1, theta_i, theta_i^3, and
///                   (U - c) theta, E[f dU/dtheta_j] = E[df/dtheta_j]
///   exact draws are independent
///                   draws of different replicates and of different sweeps are independent
///   data draws      for theta from the prior and data drawn with this theta, Stein identities for
///                   the posterior of these data hold at theta
/// `exact law`, `exact draws are independent` and `data draws` are statistical tests with a fixed
/// seed. Each rejects a correct model with probability 1e-4. Clauses that compare bits are omitted
/// for a model that is not pure. Clauses on exact draws are omitted for a model with a wrong
/// gradient.
Findings check_model(const Model& model);

}  // namespace mixwell::contracts
