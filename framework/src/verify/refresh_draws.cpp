// What a refresh draws, round by round.
// SPDX-License-Identifier: Apache-2.0
#include "verify/refresh_draws.hpp"

namespace mixwell {

RefreshDraws::RefreshDraws(Replay& replay, Index rounds) : replay_(replay), rounds_(rounds) {
  const auto states = inputs_of(replay, Role::state);
  const Traits& traits = replay.operation().traits;
  if (states.empty() || traits.full) return;
  made_from_ = states.front();
  keeps_its_start_ = !traits.renews;
}

void RefreshDraws::advance() {
  replay_.run(sweep_of_round(round_++));
  if (made_from_) replay_.input(*made_from_) = replay_.output(0);
}

MatrixMap RefreshDraws::next() {
  if (made_from_ && round_ == 0) {
    for (Index k = 0; k < rounds_; ++k) advance();
  }
  advance();
  return replay_.output(0);
}

}  // namespace mixwell
