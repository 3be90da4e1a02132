// Compares U of a block of a model, from what the model knows about it, with the whole U.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support.hpp"

#include <mixwell/law/conditional_potential.hpp>
#include <mixwell/law/selection.hpp>
#include <mixwell/model.hpp>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace support {

/// The model's own for the parameters or slices with these names, or null if it has none.
inline std::shared_ptr<const mixwell::ConditionalPotential> block_of(
    const mixwell::Model& model, const std::vector<std::string>& names) {
  return model.conditional_potential(mixwell::select_coordinates(model.parameters(), names));
}

/// The largest difference of U and its gradient, relative to 1 + the largest of them: at three
/// positions, with a cache that was made at others of the same rest.
inline double off_the_whole(const mixwell::Model& model, const std::vector<std::string>& names) {
  using Eigen::MatrixXd;
  const std::vector<Eigen::Index> own = mixwell::select_coordinates(model.parameters(), names);
  const auto block = model.conditional_potential(own);
  if (!block) return std::numeric_limits<double>::infinity();
  MatrixXd theta(model.dimension(), 3);
  for (Eigen::Index i = 0; i < theta.size(); ++i)
    theta(i) = 0.7 * std::sin(1.0 + 2.3 * static_cast<double>(i));
  MatrixXd blind = theta;
  for (Eigen::Index j = 0; j < theta.cols(); ++j)
    blind.col(j)(own).setConstant(std::numeric_limits<double>::quiet_NaN());
  mixwell::Workspace scratch;
  MatrixXd caches(block->cache_rows(), theta.cols());
  block->prepare(blind, caches, scratch);
  const MatrixXd x = theta(own, Eigen::all);
  Evaluated found{Eigen::RowVectorXd(x.cols()), MatrixXd(x.rows(), x.cols())};
  const mixwell::Numbers numbers(
      mixwell::ConstMatrixMap(caches.data(), caches.rows(), caches.cols()));
  block->evaluate({numbers, 0}, x, {found.u.data(), found.g, scratch});
  Eigen::RowVectorXd alone(x.cols());
  block->evaluate({numbers, 0}, x, mixwell::Evaluation::of_potential(alone.data(), x, scratch));
  const Evaluated whole = evaluate(model, theta);
  const double scale = 1.0 + std::max(whole.u.cwiseAbs().maxCoeff(), whole.g.cwiseAbs().maxCoeff());
  const double worst =
      std::max({(found.u - whole.u).cwiseAbs().maxCoeff<Eigen::PropagateNaN>(),
                (alone - whole.u).cwiseAbs().maxCoeff<Eigen::PropagateNaN>(),
                (found.g - whole.g(own, Eigen::all)).cwiseAbs().maxCoeff<Eigen::PropagateNaN>()});
  return worst / scale;
}

}  // namespace support
