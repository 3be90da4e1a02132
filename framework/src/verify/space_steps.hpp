// Steps within a space that are as likely back as there.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "verify/move_ends.hpp"

#include <mixwell/random.hpp>
#include <mixwell/types.hpp>

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

class SpaceSteps {
 public:
  virtual ~SpaceSteps() = default;
  virtual const char* name() const = 0;
  /// Draws, one a column, before the first step.
  virtual void see(ConstBatch x) = 0;
  /// Of all that was seen.
  virtual double farthest_from_space() const = 0;
  /// Why no step can be made, or empty.
  virtual std::string why_none() const { return {}; }
  /// A step from every column; from where none can be made, it stays.
  virtual Eigen::MatrixXd proposed(ConstBatch x, std::uint64_t round) const = 0;
};

/// y = (x + z) / |x + z| with an isotropic normal z: its density depends on the angle between x and
/// y only.
class SphereSteps final : public SpaceSteps {
 public:
  SphereSteps();
  const char* name() const override { return "the unit sphere"; }
  void see(ConstBatch x) override;
  double farthest_from_space() const override { return farthest_; }
  Eigen::MatrixXd proposed(ConstBatch x, std::uint64_t round) const override;

 private:
  Stream steps_;
  double farthest_ = 0.0;
};

/// y is any other of the vectors that were seen, each as likely as the others. A law may say what
/// it wants of numbers that are never drawn.
class WholeNumberSteps final : public SpaceSteps {
 public:
  WholeNumberSteps();
  const char* name() const override { return "whole numbers"; }
  void see(ConstBatch x) override;
  double farthest_from_space() const override { return farthest_; }
  std::string why_none() const override;
  Eigen::MatrixXd proposed(ConstBatch x, std::uint64_t round) const override;

 private:
  using Tuple = std::vector<double>;

  Stream steps_;
  double farthest_ = 0.0;
  std::map<Tuple, Index> number_of_;
  std::vector<Tuple> seen_;
};

/// The space in which all of several rounds of draws (each rows x columns) seem to live, where that
/// is a smaller one than R^rows.
Space seen_space(const std::vector<Eigen::MatrixXd>& rounds);

}  // namespace mixwell
