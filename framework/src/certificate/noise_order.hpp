// Updates that know of one another by a noise that one of them has as a parameter.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "certificate/noise_flow.hpp"

#include <vector>

namespace mixwell {

/// Let an update K of b have the noise n as a parameter, and one of a tell of n. Applied first, K
/// leaves b independent of n, whatever n is, so that the update of a draws its noise anew: all is
/// right in this order. It is not possible where something that depends on the outcome of a reads
/// what b was before K: given n, the old value and the new one of b know each other, so that a and
/// b do afterwards, though the law of each by itself is right. Nor where K tells of a noise that
/// the update of a has as a parameter. Returned by transition: those that it is entangled with so.
/// `tellers`: by noise. `reads`: by transition. O(T^2 / 64 + T V / 64), beside a search for each
/// use of a noise that another update tells of.
std::vector<IdSet> entangled_updates(const Analysis& a, const std::vector<NoiseWays>& ways,
                                     const std::vector<std::vector<std::size_t>>& tellers,
                                     const std::vector<IdSet>& reads);

}  // namespace mixwell
