// Finds which transitions use each noise value, which share it, and which versions depend on it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "certificate/analysis.hpp"

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace mixwell {

/// The noises that enter one transition, grouped by the way in which they enter. If a kernel leaves
/// its target density invariant at every fixed value of a parameter, the outcome does not depend on
/// the noises from which the parameter is made. The outcome depends on noises that enter in any
/// other way. An example is a noisy law: an accepted proposal is reversed with the noises of its
/// steps in reverse order.
struct NoiseWays {
  IdSet law;  ///< noises from which the target's laws and their evaluations are made
  IdSet own;  ///< noises read as `noise`; in an accept without one, the noises of its parameters
  IdSet refreshed;   ///< the noises with which refreshes drew the transition's auxiliaries in this
                     ///< sweep
  IdSet parameters;  ///< noises from which all other inputs are made
  IdSet twice;  ///< noises that two inputs bring into `own`, or that two refreshes of auxiliaries
                ///< used
  /// Whether the outcome depends on the noise of the law only by a part that vanishes as eps -> 0.
  /// This is so for one step of an uncorrected scheme: the noise of its law moves the state by
  /// order eps, and the whole displacement is of order sqrt(eps).
  bool law_is_faint = false;

  IdSet used() const { return law | own | refreshed | parameters; }
  IdSet exposed() const { return law | own | refreshed; }
  /// Noises on which the outcome still depends as eps -> 0.
  IdSet told() const { return law_is_faint ? own | refreshed : exposed(); }
};

/// Finds updates that depend on each other through a noise from which a parameter of one of them is
/// made.
///
/// A stationary chain can be read backward. Let an update with the parameters p take b to b'. Let
/// the update leave the law of b invariant at every p, and let b be independent of p. Then b' is
/// independent of p as well, and the reversed kernel at p makes b from b'. So in a graph of all
/// versions, the edge from b to b' may be replaced by edges from b' and p to b, as long as the
/// graph has no cycle. A noise on which the outcome depends then follows from b, b' and p. A noise
/// from which p is made does not. If every update can be read in this way, the newest values of all
/// variables are roots: they are independent of each other and of older values.
///
/// This graph orders the updates. An update comes before all updates that replace a value that it
/// reads, and before the next update of its own variables. If its parameters are made from a noise,
/// it also comes before every update that tells of this noise. A history still comes after the
/// values that it read. No such order exists if the parameters of an update K are made from a noise
/// n, and a teller of n comes before K in this sweep or through a history. K and all updates
/// between the teller and K then depend on each other, although each separate law is right.
///
/// If two updates tell of one noise, they carry different information about it. Both count as
/// tellers. If another update reads a value that either of them moved, this noise counts as one
/// from which its parameters are made.
///
/// Returns, for each transition, the transitions with which it is entangled. `tellers`: the tellers
/// of each noise. `behind`: for each transition, the noises from which its parameters are made.
/// `reads`: the versions that each transition reads. O(T^2 / 64 + T V / 64), and two searches for
/// each use of a noise that another update tells of.
std::vector<IdSet> entangled_updates(const Analysis& a, const std::vector<NoiseWays>& ways,
                                     const std::vector<std::vector<std::size_t>>& tellers,
                                     const std::vector<IdSet>& behind,
                                     const std::vector<IdSet>& reads);

/// The noises of all transitions of one graph. A transition counts together with the stages of its
/// proposal. It *tells* of a noise if its outcome depends on the noise. A version *knows* a noise
/// if it depends on the noise, directly or through others. O(T V / 64), and O(V^2 / 64) for each
/// pair that shares a noise.
class NoiseFlow {
 public:
  /// `wrong`: for each transition, whether it fails to leave its target density invariant at some
  /// value of its parameters. A wrong transition also tells of the noises from which its parameters
  /// are made.
  NoiseFlow(const Analysis& a, const std::vector<bool>& wrong);

  const NoiseWays& ways(std::size_t t) const { return ways_[t]; }
  /// Noises of this sweep that a version knows. For a proposal or a statistic: the noises with
  /// which it was made.
  const IdSet& known(Value version) const { return known_[index(version)]; }
  /// Transitions of other variables that share a noise with `t`. Both transitions tell of the
  /// noise, or the noise entangles them (entangled_updates).
  const std::vector<std::size_t>& sharing(std::size_t t) const { return sharing_[t]; }
  /// Whether `refresh` draws an auxiliary that the transition `t` reads.
  bool draws_for(std::size_t t, std::size_t refresh) const;
  /// Whether one of the two draws an auxiliary that the other one reads.
  bool is_draw_for_other(std::size_t one, std::size_t other) const {
    return draws_for(one, other) || draws_for(other, one);
  }
  /// Variables that `other` influences without passing through `one` and its stages. `other` must
  /// be one of sharing(one) and must not draw an auxiliary for it.
  const IdSet& reached(std::size_t one, std::size_t other) const {
    return reached_.at({one, other});
  }
  /// Noises that two transitions share directly. Empty if the two are only entangled through other
  /// transitions.
  IdSet shared(std::size_t one, std::size_t other) const;

 private:
  std::vector<std::size_t> find_sharing(std::size_t t) const;
  void find_reached(std::size_t t);
  /// The noises from which the parameters of `t` are made. A noise of which two updates tell also
  /// counts if `t` reads a version that knows this noise.
  IdSet behind_parameters(std::size_t t) const;
  /// Versions that a transition and its stages depend on within the sweep.
  IdSet read_by(std::size_t t) const;
  void find_tellers();
  /// After an exchange, one slot tells of the noises with which another slot was moved.
  void pass_on();
  /// After an exchange, each slot is entangled with everything that the other slots are entangled
  /// with.
  void entangle_joint_slots();
  bool writes_several_slots(std::size_t t) const;
  /// Whether two updates tell of the noise and neither draws an auxiliary for the other.
  bool is_told_apart(std::int32_t noise) const;
  /// Noises from which the laws of the auxiliaries that `t` moves are made.
  IdSet behind_laws(std::size_t t) const;
  /// Noises that the inputs of a part of `t` know. The noises of the law of an auxiliary beside the
  /// state are left out, because this law is a parameter of `t`.
  IdSet known_given_laws(std::size_t t, const OperationInfo& part) const;
  /// Noises known by the versions that an operation depends on.
  IdSet known_to_inputs(const OperationInfo& who) const;
  /// Copies between slots and joint variables know the same noises.
  void copy_known(const OperationInfo& who);

  const Analysis& a_;
  std::vector<NoiseWays> ways_;                    ///< by transition
  std::vector<IdSet> told_;                        ///< by transition: the noises of which it tells
  std::vector<IdSet> known_;                       ///< by value
  std::vector<std::vector<std::size_t>> tellers_;  ///< by noise: the transitions that tell of it
  std::vector<IdSet> entangled_;  ///< by transition: the transitions with which it is entangled
  std::vector<std::vector<std::size_t>> sharing_;  ///< by transition
  std::map<std::pair<std::size_t, std::size_t>, IdSet> reached_;
};

/// Noises with which a refresh of this sweep drew an auxiliary, in full or in part.
IdSet noises_of_redraw(const Analysis& a, Value state);

}  // namespace mixwell
