// What statistics of positions are made from.
// SPDX-License-Identifier: Apache-2.0
#include "verify/features.hpp"

#include <mixwell/random.hpp>

namespace mixwell {

Eigen::MatrixXd directions(Index dimension, std::string_view role) {
  constexpr Index count = 3;
  Eigen::MatrixXd all(dimension, dimension > 1 ? count : 0);
  if (dimension > 1) Stream(17, role).normals({}, all);
  all.colwise().normalize();
  return all;
}

Eigen::RowVectorXd potentials(const Model& model, ConstBatch theta) {
  Eigen::RowVectorXd u(theta.cols());
  Eigen::MatrixXd g(theta.rows(), theta.cols());
  Workspace scratch;
  model.evaluate(theta, {u.data(), g, scratch});
  return u;
}

}  // namespace mixwell
