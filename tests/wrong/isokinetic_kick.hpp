// The kick of an isokinetic flow, in which a velocity keeps its length.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include <cmath>

namespace wrong {

/// The direction v (|v| = 1) after a time eps of the force -g, in n + 1 dimensions: with
/// e = -g / |g| and a = eps |g| / n, v becomes (v + e (sinh a + (e'v) (cosh a - 1))) / f with
/// f = cosh a + (e'v) sinh a. Returns log f; all of it is divided by e^a, so that long steps do not
/// overflow.
inline double isokinetic_kick(double eps, double n, const Eigen::VectorXd& g,
                              Eigen::Ref<Eigen::VectorXd> v) {
  const double size = g.norm();
  if (!(size > 0.0)) return 0.0;
  const double a = eps * size / n;
  const double small = std::exp(-a);
  const double along = -g.dot(v) / size;
  const double cosh = 0.5 * (1.0 + small * small);
  const double sinh = 0.5 * (1.0 - small * small);
  const double f = cosh + along * sinh;
  v = (small * v - (sinh + along * (cosh - small)) / size * g) / f;
  v.normalize();
  return a + std::log(f);
}

}  // namespace wrong
