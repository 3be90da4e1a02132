// Reversible steps on a sphere or between vectors of integers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "verify/move_states.hpp"

#include <mixwell/base/random.hpp>
#include <mixwell/base/types.hpp>

#include <Eigen/Core>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace mixwell {

/// Numbers that are at most this far from a space count as being in the space.
inline constexpr double same_space = 1e-8;
/// One in this many rounds is drawn before the first step, to find out which numbers are drawn.
inline constexpr Index pilot_share = 4;

/// Reversible steps from x to y within a space. On a sphere, y = (x + z) / |x + z| with an
/// isotropic normal z, so the density of the step depends only on the angle between x and y. For
/// whole numbers, y is another vector that was drawn before, and all such vectors are equally
/// likely. Steps do not use other vectors, because a law may have any value at numbers that are
/// never drawn.
class SpaceSteps {
 public:
  explicit SpaceSteps(Space space);

  const char* name() const;
  /// Adds draws before the first step, one per column.
  void see(ConstBatch x);
  /// The largest distance of the draws from the space.
  double farthest_from_space() const noexcept { return farthest_; }
  /// The reason why no step can be made; "" if steps can be made.
  std::string why_none() const;
  /// A step from every column. A column from which no step can be made stays.
  Eigen::MatrixXd proposed(ConstBatch x, std::uint64_t round) const;

 private:
  using Tuple = std::vector<double>;
  bool on_sphere() const noexcept { return space_ == Space::sphere; }
  Eigen::MatrixXd turned(ConstBatch x, std::uint64_t round) const;
  Eigen::MatrixXd exchanged(ConstBatch x, std::uint64_t round) const;

  Space space_;
  Stream steps_;
  double farthest_ = 0.0;
  std::map<Tuple, Index> number_of_;  ///< index of each vector of whole numbers in seen_
  std::vector<Tuple> seen_;
};

/// The smallest space that contains all draws of several rounds (each round is rows x columns). It
/// may be R^rows.
Space seen_space(const std::vector<Eigen::MatrixXd>& rounds);

}  // namespace mixwell
