// Clauses of the contract of models. Each function has its own file and checks one capability.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/contracts/finding.hpp>
#include <mixwell/model.hpp>

namespace mixwell::contracts {

/// Checks a model that is a GaussianPrior. Let U_l be the potential of the likelihood.
/// U - (x - m)' (L L')^-1 (x - m) / 2 - U_l must have the same value at positions that differ only
/// in x. The tolerance is 1e-9 of the size of these terms. Takes O(b^3) for each column of theta
/// (d x w), where b is the length of x.
Finding check_gaussian_prior(const Model& model, const Eigen::MatrixXd& theta);

/// Checks a model's conditional potentials at columns of theta (d x w, w >= 2), for a few sets of
/// coordinates: the first half, every third, only the last, and each parameter. U and its gradient
/// must equal those of the whole model to 1e-11. A column by itself and the same column among
/// columns of NaN must agree to 1e-12. The numbers in the block's rows must not change any bit of
/// the cache. Separate and joint requests for U and the gradient must agree to 1e-12. Returns no
/// findings if the model offers no conditional potential of these sets.
Findings check_conditional_potentials(const Model& model, const Eigen::MatrixXd& theta);

/// Checks an estimate against the U that the model evaluates. E exp(U(theta) - Uhat(theta; z)) must
/// be the same at all columns of theta. The z from draw_weighted must have a density proportional
/// to exp(-Uhat) N(z; 0, I). Both checks use averages of 20 000 draws. A correct estimate fails
/// with probability 2e-4. If U is not finite, the first check is omitted, and its finding says so.
void check_estimated_density(const Model& model, const Eigen::MatrixXd& theta, Findings& findings);

/// Checks the slopes |grad U(x) - grad U(y)| / |x - y|. If the model declares `lipschitz`, the
/// slopes must stay bounded as x and y go to infinity along random directions. If it declares
/// `lipschitz` or `locally_lipschitz`, the slopes must stay bounded as a coordinate of x and y goes
/// to 0, where most singularities are. Weaker declarations make no claim that could be checked.
Finding check_gradient_growth(const Model& model, const Eigen::MatrixXd& theta);

/// Checks each marginal law at the columns of theta. Its gradient must be the gradient of its U,
/// and neither may depend on the integrated-out parameters z. If the model can also draw z given
/// the other parameters x, Fisher's identity must hold:
///   E grad_x U(x, z) = grad U(x),  z ~ pi(z | x),
/// This identity holds only for the correct integral. A correct law fails with probability 1e-4.
void check_marginal_laws(const Model& model, const Eigen::MatrixXd& theta, Findings& findings);

}  // namespace mixwell::contracts
