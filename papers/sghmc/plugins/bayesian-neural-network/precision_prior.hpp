// The prior of a group of parameters: N(0, 1 / precision), with a gamma prior of the precision.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <cmath>

namespace mixwell::network {

/// Every element of X is N(0, 1 / l), where l has density l^(shape-1) exp(-rate l); h is log l.
/// Chen, Fox & Guestrin 2014, eq. 29.
class PrecisionPrior {
 public:
  PrecisionPrior(double shape, double rate) : shape_(shape), rate_(rate) {}

  /// Adds -log p(X, h), with the Jacobian of h, to u. Adds the gradient of this term to gX and gh.
  void add(ConstBatch X, const double* h, double& u, Batch gX, double* gh) const {
    const double precision = std::exp(*h);
    gX += precision * X;
    const double weight = precision * (0.5 * X.squaredNorm() + rate_);
    u += weight - shape(X) * *h;
    *gh += weight - shape(X);
  }
  /// Like add(), but without gradients.
  double potential(ConstBatch X, const double* h) const {
    return std::exp(*h) * (0.5 * X.squaredNorm() + rate_) - shape(X) * *h;
  }
  /// Writes a draw of h given X. If X has no columns, the draw is from the prior.
  void draw(RandomNumbers& random, ConstBatch X, double* h) const {
    *h = draw_log_gamma(random, shape(X), rate_ + 0.5 * X.squaredNorm());
  }
  /// Writes a draw of X given h.
  static void draw_numbers(RandomNumbers& random, const double* h, Batch X) {
    const double sd = std::exp(-0.5 * *h);
    for (Index i = 0; i < X.cols(); ++i)
      for (Index k = 0; k < X.rows(); ++k) X(k, i) = sd * random.normal();
  }

 private:
  /// Shape of the gamma distribution of l given X.
  double shape(ConstBatch X) const { return shape_ + 0.5 * static_cast<double>(X.size()); }

  double shape_;
  double rate_;
};

}  // namespace mixwell::network
