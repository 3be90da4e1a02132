// Chances of z-scores.
// SPDX-License-Identifier: Apache-2.0
#include "verify/z_scores.hpp"

#include <boost/math/distributions/students_t.hpp>

namespace mixwell {

double two_sided(double t, double degrees_of_freedom) {
  if (!std::isfinite(t)) return std::isnan(t) ? 1.0 : 0.0;
  const boost::math::students_t student(degrees_of_freedom);
  return 2.0 * boost::math::cdf(boost::math::complement(student, std::abs(t)));
}

}  // namespace mixwell
