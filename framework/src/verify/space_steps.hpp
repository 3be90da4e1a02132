// Steps within a sphere, or among whole numbers, that are as likely as their ways back.
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

/// How far a number may be from its space.
inline constexpr double same_space = 1e-8;
/// One in so many rounds is drawn before the first step, to see where draws are.
inline constexpr Index pilot_share = 4;

/// On a sphere y = (x + z) / |x + z| with an isotropic normal z: its density depends on the angle
/// between x and y only. Of whole numbers y is any other of the vectors that were seen, each as
/// likely as the others. A law may say what it wants of numbers that are never drawn.
class SpaceSteps {
 public:
  explicit SpaceSteps(Space space);

  const char* name() const;
  /// Draws, one a column, before the first step.
  void see(ConstBatch x);
  /// Of all that was seen.
  double farthest_from_space() const noexcept { return farthest_; }
  /// Why no step can be made, or empty.
  std::string why_none() const;
  /// A step from every column; from where none can be made, it stays.
  Eigen::MatrixXd proposed(ConstBatch x, std::uint64_t round) const;

 private:
  using Tuple = std::vector<double>;
  bool on_sphere() const noexcept { return space_ == Space::sphere; }
  Eigen::MatrixXd turned(ConstBatch x, std::uint64_t round) const;
  Eigen::MatrixXd exchanged(ConstBatch x, std::uint64_t round) const;

  Space space_;
  Stream steps_;
  double farthest_ = 0.0;
  std::map<Tuple, Index> number_of_;  ///< of vectors of whole numbers
  std::vector<Tuple> seen_;
};

/// The space in which all of several rounds of draws (each rows x columns) seem to live, where that
/// is a smaller one than R^rows.
Space seen_space(const std::vector<Eigen::MatrixXd>& rounds);

}  // namespace mixwell
