// What becomes of each noise: who uses it, which versions have been moved with it, and which
// variables go on sharing one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "certificate/analysis.hpp"

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace mixwell {

/// The ways by which noises enter one transition: for each way, the noises that take it. Where a
/// kernel keeps its law at every fixed value of a parameter, its outcome does not depend on a noise
/// behind that parameter. It depends on a noise that enters by any other way. An example is a noisy
/// law: an accepted proposal is reversed with the noise of its steps in reverse.
struct NoiseWays {
  IdSet law;         ///< behind the target's laws and their evaluations
  IdSet own;         ///< read as `noise`, or behind a parameter by which an accept without a noise
                     ///< decides
  IdSet refreshed;   ///< with which refreshes drew its auxiliaries in this sweep
  IdSet parameters;  ///< behind everything else that it reads
  IdSet twice;       ///< own by two inputs, or of the refreshes of two auxiliaries
  /// As eps -> 0 a step of an uncorrected one-step scheme forgets the noise of its law: the noise
  /// moves it by order eps, beside a displacement of order sqrt(eps).
  bool law_is_faint = false;

  IdSet used() const { return law | own | refreshed | parameters; }
  IdSet exposed() const { return law | own | refreshed; }
  /// Noises on which the outcome still depends as eps -> 0.
  IdSet told() const { return law_is_faint ? own | refreshed : exposed(); }
};

/// Updates that know of one another by a noise that one of them has as a parameter. A stationary
/// chain can be read backward. Let an update with the parameters p take b to b', let
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

/// Noises of all transitions of one graph. A transition counts together with the stages of its
/// proposal. It *tells* of a noise if its outcome depends on it; a version *knows* a noise if it
/// depends on it at any remove. O(T V / 64), and O(V^2 / 64) for each pair that shares a noise.
class NoiseFlow {
 public:
  /// `wrong`: by transition, whether it fails to keep its law at some value of its parameters. Then
  /// it tells of the noises behind them too.
  NoiseFlow(const Analysis& a, const std::vector<bool>& wrong);

  const NoiseWays& ways(std::size_t t) const { return ways_[t]; }
  /// Noises of this sweep that a version knows, and those that a proposal or a statistic was made
  /// with.
  const IdSet& known(Value version) const { return known_[index(version)]; }
  /// Transitions of other variables that share a noise with `t`: both tell of it, or it entangles
  /// them (entangled_updates).
  const std::vector<std::size_t>& sharing(std::size_t t) const { return sharing_[t]; }
  /// Whether `refresh` draws an auxiliary that the transition `t` reads.
  bool draws_for(std::size_t t, std::size_t refresh) const;
  /// Whether one of the two draws an auxiliary that the other one reads.
  bool is_draw_for_other(std::size_t one, std::size_t other) const {
    return draws_for(one, other) || draws_for(other, one);
  }
  /// What `other` influences without passing through `one` and its stages. `other` is one of
  /// sharing(one) and draws no auxiliary for it.
  const IdSet& reached(std::size_t one, std::size_t other) const {
    return reached_.at({one, other});
  }
  /// Noises that two transitions share; empty where only others entangle them.
  IdSet shared(std::size_t one, std::size_t other) const;

 private:
  std::vector<std::size_t> find_sharing(std::size_t t) const;
  void find_reached(std::size_t t);
  /// The noises behind its parameters. Those count too that two updates tell of and that a version
  /// which it reads knows.
  IdSet behind_parameters(std::size_t t) const;
  /// Versions that a transition and its stages depend on within the sweep.
  IdSet read_by(std::size_t t) const;
  void find_tellers();
  /// After an exchange one slot tells of the noises that another slot was moved with.
  void pass_on();
  /// And it is entangled with everything that these are entangled with.
  void entangle_joint_slots();
  bool writes_several_slots(std::size_t t) const;
  /// Two updates tell of it, and neither draws an auxiliary for the other.
  bool is_told_apart(std::int32_t noise) const;
  /// Noises behind the laws of the auxiliaries that it moves.
  IdSet behind_laws(std::size_t t) const;
  /// Noises that the inputs of a part of `t` know. Those behind the law of an auxiliary beside the
  /// state do not count: that law is a parameter of `t`.
  IdSet known_given_laws(std::size_t t, const OperationInfo& part) const;
  /// Noises that the versions know which an operation depends on.
  IdSet known_to_inputs(const OperationInfo& who) const;
  /// A copy between slots and what joins them knows the same noises.
  void copy_known(const OperationInfo& who);

  const Analysis& a_;
  std::vector<NoiseWays> ways_;                    ///< by transition
  std::vector<IdSet> told_;                        ///< by transition: noises that it tells of
  std::vector<IdSet> known_;                       ///< by value
  std::vector<std::vector<std::size_t>> tellers_;  ///< by noise: transitions that tell of it
  std::vector<IdSet> entangled_;                   ///< by transition: others
  std::vector<std::vector<std::size_t>> sharing_;  ///< by transition
  std::map<std::pair<std::size_t, std::size_t>, IdSet> reached_;
};

/// Noises with which a refresh of this sweep drew an auxiliary, in full or in part.
IdSet noises_of_redraw(const Analysis& a, Value state);

}  // namespace mixwell
