// One BFGS update of an H that is stored as a d x d matrix.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

namespace mixwell::quasi_newton {

using Vector = Eigen::Ref<Eigen::VectorXd>;
using ConstVectorRef = const Eigen::Ref<const Eigen::VectorXd>&;

/// d numbers that are valid as long as the Frame.
inline Eigen::Map<Eigen::VectorXd> vector(Workspace& scratch, Index d) {
  return {scratch.matrix(d, 1).data(), d};
}

/// H <- (I - s y'/s'y) H (I - y s'/s'y) + s s'/s'y for a symmetric H. Needs one product w = H y and
/// one pass: H <- H + s (a s - w/s'y)' - w s'/s'y, with a = (1 + y'w/s'y)/s'y. `w` is overwritten.
inline void update_inverse(MatrixMap H, ConstVectorRef s, ConstVectorRef y, double sy, Vector w) {
  w.noalias() = H * y;
  const double rho = 1.0 / sy;
  const double a = rho * (1.0 + rho * y.dot(w));
  for (Index j = 0; j < H.cols(); ++j) {
    const double of_w = -rho * s(j);
    H.col(j) += (a * s(j) - rho * w(j)) * s + of_w * w;
  }
}

}  // namespace mixwell::quasi_newton
