// Where the chains of a Stan model start when nothing else is said.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "data.hpp"
#include "instance.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>
#include <string>

namespace mixwell::stan {

namespace detail {

/// Why no chain can start at theta (d x 1), or "".
inline std::string why_no_start(const Instance& instance, ConstBatch theta) {
  double value = 0;
  Eigen::VectorXd gradient(theta.rows());
  if (const auto rejection = instance.log_density(theta.data(), value, gradient.data()))
    return "Stan says: " + *rejection;
  if (std::isfinite(value) && gradient.allFinite()) return {};
  return "the log density there is " + number_text(value) +
         (gradient.allFinite() ? "" : ", and its gradient is not finite");
}

}  // namespace detail

/// Fills the column of replicate at.replicate uniformly on (-radius, radius) on the
/// unconstrained scale, as Stan begins, and again where no chain can start. Throws InputError,
/// after `who`, where no point will do.
inline void find_start(const Instance& instance, double radius, const std::string& who,
                       const Stream& stream, Address at, Batch theta) {
  constexpr int most_tries = 100;
  std::string first;
  for (int tries = 0; tries < most_tries; ++tries, ++at.draw) {
    stream.uniforms(at, theta);
    theta = (radius * (2.0 * theta.array() - 1.0)).matrix();
    const std::string why = detail::why_no_start(instance, theta);
    if (why.empty()) return;
    if (first.empty()) first = why;
  }
  throw InputError(who + ": none of " + std::to_string(most_tries) +
                   " points uniform on (-r, r), r = init_radius = " + number_text(radius) +
                   ", on the unconstrained scale will do to start replicate " +
                   std::to_string(at.replicate) + " from; of the first " + first +
                   ". Check program and data, or start elsewhere with `init_radius`, or with "
                   "`init` in [run]");
}

}  // namespace mixwell::stan
