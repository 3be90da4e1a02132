// Whether a curvature has the bound that it declares.
// SPDX-License-Identifier: Apache-2.0
#include "curvature_bound.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace mixwell::contracts {

Eigen::MatrixXd column_of(const Representation& how, ConstBatch numbers, Index dimension, Index i) {
  const Eigen::MatrixXd unit = Eigen::VectorXd::Unit(dimension, i).replicate(1, numbers.cols());
  Eigen::MatrixXd image(dimension, numbers.cols());
  Workspace scratch;
  how.H(ConstMatrixMap(numbers.data(), numbers.rows(), numbers.cols()), unit, image, scratch);
  return image;
}

double largest_entry(const Representation& how, ConstBatch numbers, Index dimension) {
  double largest = 0.0;
  for (Index i = 0; i < dimension; ++i) {
    const Eigen::MatrixXd column = column_of(how, numbers, dimension, i);
    if (!column.allFinite()) return INFINITY;
    largest = std::max(largest, column.cwiseAbs().maxCoeff());
  }
  return largest;
}

Finding stays_bounded(const std::string& where, const std::function<double(double)>& size_at) {
  constexpr double slack = 1.5;
  const double before = size_at(1e-8);
  const double after = size_at(1e-12);
  std::ostringstream measured;
  measured << "a size of " << before << ", then of " << after;
  return {"there is a bound " + where, std::isfinite(after) && after <= slack * before,
          measured.str(), "bound"};
}

}  // namespace mixwell::contracts
