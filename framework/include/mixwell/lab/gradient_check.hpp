// Compares a model's gradient with differences of its potential.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/model.hpp>

namespace mixwell {

/// The worst error of a gradient. With fd_i the difference quotient of U along coordinate i,
///   relative = |g_i - fd_i| / max(|g_i|, |fd_i|, 1e-3 max_k |g_k|, 1e9 eps max(1, |U|)).
/// The last two terms reduce the effect of rounding errors of U on coordinates with small
/// derivatives. A correct gradient of a smooth U gives less than 1e-6. Infinite if U or g_i is not
/// finite at the point.
struct GradientError {
  double relative = 0;
  Index coordinate = 0;   ///< row of theta; coordinate_names() names it
  Index point = 0;        ///< column of `points`
  double gradient = 0;    ///< from the model
  double difference = 0;  ///< from differences of U
};

/// Returns the worst error over all coordinates at all columns of `points` (d x n). The difference
/// quotients are central. Their steps are halved from 0.02 max(1, |theta_i|) and extrapolated to
/// zero in even powers of the step until two estimates agree (C. J. F. Ridders, Advances in
/// Engineering Software 4, 1982, 75-76). About 6 to 8 potentials for each coordinate and point.
MIXWELL_EXPORT GradientError gradient_error(const Model& model, ConstBatch points);

}  // namespace mixwell
