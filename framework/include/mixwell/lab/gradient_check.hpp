// Compares a model's gradient with finite differences of the model's potential.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/model.hpp>

namespace mixwell {

/// The worst error of a gradient. The relative error at coordinate i is
///   |g_i - fd_i| / max(|g_i|, |fd_i|, 1e-3 max_k |g_k|, 1e9 eps max(1, |U|)).
/// Here fd_i is the difference quotient of U, and eps is the machine epsilon. The last two terms
/// reduce the effect of rounding errors of U on coordinates with small derivatives. A correct
/// gradient of a smooth U gives less than 1e-6. The error is infinite if U or g_i is not finite.
struct GradientError {
  double relative = 0;
  Index coordinate = 0;   ///< row of theta; coordinate_names() names it
  Index point = 0;        ///< column of `points`
  double gradient = 0;    ///< from the model
  double difference = 0;  ///< from finite differences of U
};

/// Returns the worst error over all coordinates and columns of `points` (d x n). The difference
/// quotients are central. The step is first 0.02 max(1, |theta_i|) and is then halved repeatedly.
/// The quotients are extrapolated to a step of zero, in even powers of the step, until two
/// estimates agree (C. J. F. Ridders, Advances in Engineering Software 4, 1982, 75-76). Cost:
/// usually 6 to 8 evaluations of U for each coordinate and point.
MIXWELL_EXPORT GradientError gradient_error(const Model& model, ConstBatch points);

}  // namespace mixwell
