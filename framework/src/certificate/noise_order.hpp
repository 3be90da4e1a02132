// Updates that know of one another by a noise that one of them has as a parameter.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "certificate/noise_flow.hpp"

#include <vector>

namespace mixwell {

/// A stationary chain can be read backward. Let an update with the parameters p take b to b', let
/// it keep the law of b at every p, and let b be independent of p. Then b' is independent of p as
/// well, and b is what the reversed kernel at p makes of b'. Hence a graph of all versions in which
/// b points to b' stays right when it says instead that b' and p point to b, as long as it has no
/// cycle. A noise that the update tells of then follows from b, b' and p. A noise behind p does
/// not. Where every update can be read so, the newest values of all variables are roots: they are
/// independent of one another and of what is older.
///
/// In that graph an update comes before all that replaces what it reads. It comes before the next
/// update of its own variables, and before all that tells of a noise that it has as a parameter. A
/// register still follows from what it took. Such an order is impossible where a teller of the
/// noise n comes before an update K with n behind its parameters, in this sweep or through a
/// register: K and all on the way there then know of one another, though each law by itself is
/// right.
///
/// Two updates that tell of one noise say two things of it, so that both count as tellers, and an
/// update that reads what either of them moved has that noise behind its parameters.
///
/// Returned by transition: those that it is entangled with so. `tellers`: by noise. `behind`:
/// noises behind the parameters, by transition. `reads`: versions, by transition. O(T^2 / 64 + T V
/// / 64), beside two searches for each use of a noise that another update tells of.
std::vector<IdSet> entangled_updates(const Analysis& a, const std::vector<NoiseWays>& ways,
                                     const std::vector<std::vector<std::size_t>>& tellers,
                                     const std::vector<IdSet>& behind,
                                     const std::vector<IdSet>& reads);

}  // namespace mixwell
