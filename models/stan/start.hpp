// Where the chains of a Stan model start when nothing else is said.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "instance.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>
#include <cstdint>
#include <sstream>
#include <string>

namespace mixwell::stan {

/// Uniform on (-radius, radius) on the unconstrained scale, as Stan begins, and anew where the
/// density is none.
class StartSearch {
 public:
  StartSearch(const Instance& instance, double radius) : instance_(instance), radius_(radius) {}

  /// Fills one column, that of replicate at.replicate. Throws InputError, after `who`, where no
  /// point will do.
  void fill(const std::string& who, const Stream& stream, Address at, Batch theta) const {
    std::string why;
    int tries = 0;
    do {
      if (tries++ == most_tries) refuse(who, at, why);
      stream.uniforms(at, theta);
      theta = (radius_ * (2.0 * theta.array() - 1.0)).matrix();
      ++at.draw;
    } while (!is_start(theta, why));
  }

 private:
  static constexpr int most_tries = 100;

  /// `why`: of the first that is none.
  bool is_start(ConstBatch theta, std::string& why) const {
    double value = 0;
    Eigen::VectorXd gradient(theta.rows());
    const auto rejection = instance_.log_density(theta.data(), value, gradient.data());
    if (!rejection && std::isfinite(value) && gradient.allFinite()) return true;
    if (why.empty() && rejection) why = "Stan says: " + *rejection;
    if (why.empty())
      why = "the log density there is " + text(value) +
            (gradient.allFinite() ? "" : ", and its gradient is not finite");
    return false;
  }

  static std::string text(double value) {
    std::ostringstream out;
    out << value;
    return out.str();
  }

  [[noreturn]] void refuse(const std::string& who, const Address& at,
                           const std::string& why) const {
    throw InputError(who + ": none of " + std::to_string(most_tries) +
                     " points uniform on (-r, r), r = init_radius = " + text(radius_) +
                     ", on the unconstrained scale will do to start replicate " +
                     std::to_string(at.replicate) + " from; of the first " + why +
                     ". Check program and data, or start elsewhere with `init_radius`, or with "
                     "`init` in [run]");
  }

  const Instance& instance_;
  double radius_;
};

}  // namespace mixwell::stan
