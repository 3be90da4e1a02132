// What a refresh draws, round by round.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "verify/operation_check.hpp"

#include <Eigen/Core>

#include <optional>

namespace mixwell {

/// Independent draws of a refresh that is full or reads no state; of others each is made from the
/// one before, after as many that are left out.
class RefreshDraws {
 public:
  RefreshDraws(Replay& replay, Index rounds);

  /// The refresh never renews what it reads: its outcome is what the run left there.
  bool keeps_its_start() const noexcept { return keeps_its_start_; }
  bool are_independent() const noexcept { return !made_from_.has_value(); }
  Index rounds() const noexcept { return rounds_; }
  MatrixMap next();

 private:
  void advance();

  Replay& replay_;
  Index rounds_;
  std::optional<std::size_t> made_from_{};  ///< the state that it reads
  bool keeps_its_start_ = false;
  Index round_ = 0;
};

}  // namespace mixwell
