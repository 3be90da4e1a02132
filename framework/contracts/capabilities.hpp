// Clauses of the contract of models, one for each capability that has a file of its own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/contracts/finding.hpp>
#include <mixwell/model.hpp>

namespace mixwell::contracts {

/// Of a model that is a GaussianPrior: U less (x - m)' (L L')^-1 (x - m) / 2 less the likelihood
/// does not change with x, at positions that differ in x alone; to 1e-9 of the numbers that it is
/// the difference of. O(b^3) for each column of theta (d x w).
Finding check_gaussian_prior(const Model& model, const Eigen::MatrixXd& theta);

/// Of a model's block potentials for a few sets of coordinates (the first half, every third, the
/// last alone), where it offers them, at columns of theta (d x w, w >= 2): U and its gradient are
/// those of the whole U to 1e-11; a column alone and among columns of NaN agrees to 1e-12; what
/// stands in the rows of the block when the cache is made changes no bit; U and gradient asked for
/// by themselves are the same. Nothing where it offers none.
Findings check_block_potentials(const Model& model, const Eigen::MatrixXd& theta);

/// With U as the model evaluates it: E exp(U(theta) - Uhat(theta; z)) is the same at all columns of
/// theta, and z of draw_weighted are in balance with exp(-Uhat) N(z; 0, I). Both by averages of
/// 20 000 draws; a right estimate fails with probability 2e-4. Where U is not finite there is
/// nothing to compare the estimate with, and the first clause says so.
void check_estimated_density(const Model& model, const Eigen::MatrixXd& theta, Findings& findings);

/// Slopes |grad U(x) - grad U(y)| / |x - y| of a model that declares `lipschitz` stay bounded as x
/// and y go to infinity, along random directions; of one that declares that or `locally_lipschitz`,
/// as a coordinate of x and y goes to 0, where most singularities are. Whoever declares less claims
/// nothing that could be wrong.
Finding check_gradient_growth(const Model& model, const Eigen::MatrixXd& theta);

/// At the columns of theta: the gradient of each marginal law is that of its U; neither reads what
/// is integrated out; and where the model draws z given the rest as well,
///   E grad_x U(x, z) = grad U(x),  z ~ pi(z | x),
/// the identity of Fisher, which holds of the right integral alone. A right law fails with
/// probability 1e-4.
void check_marginal_laws(const Model& model, const Eigen::MatrixXd& theta, Findings& findings);

}  // namespace mixwell::contracts
