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

/// The ways by which a noise enters one transition, each as the set of noises that take it. A
/// kernel that keeps its law at every fixed value of a parameter tells nothing of a noise behind
/// one; what comes out of a kernel tells of a noise that enters by any other way: with a noisy law,
/// for instance, a proposal is reversed with the noise of its steps in reverse, so that of an
/// accepted one this noise is part of the outcome.
struct NoiseWays {
  IdSet law;         ///< behind the target's laws and their evaluations
  IdSet own;         ///< read as `noise` by the move or the accept, or behind what an accept that
                     ///< reads none reads as a parameter: it decides with it
  IdSet refreshed;   ///< of the refreshes that drew its auxiliaries in this sweep
  IdSet parameters;  ///< behind what else it reads
  IdSet twice;       ///< own by two inputs, or of the refreshes of two auxiliaries
  /// As eps -> 0 a step of an uncorrected one-step scheme forgets the noise of its law: its share
  /// of the displacement is of order eps, beside one of order sqrt(eps).
  bool law_is_faint = false;

  IdSet used() const { return law | own | refreshed | parameters; }
  IdSet exposed() const { return law | own | refreshed; }
  /// What the outcome goes on telling of as eps -> 0.
  IdSet told() const { return law_is_faint ? own | refreshed : exposed(); }
};

/// For all transitions of one graph, each with the stages whose proposal it decides on. O(T V /
/// 64), beside the pairs that share a noise: O(V^2 / 64) for each.
class NoiseFlow {
 public:
  /// `wrong`: by transition, whether it does not keep its law at every value of its parameters, so
  /// that its outcome tells of noises behind them too.
  NoiseFlow(const Analysis& a, const std::vector<bool>& wrong);

  const NoiseWays& ways(std::size_t t) const { return ways_[t]; }
  /// Noises of this sweep that a version tells of, at any remove; of a proposal or a statistic
  /// those that it was made with.
  const IdSet& known(Value version) const { return known_[static_cast<std::size_t>(version.id)]; }
  /// Transitions of other variables that know of the same noise as `t`: both tell of it, or they
  /// are entangled by it (noise_order.hpp).
  const std::vector<std::size_t>& sharing(std::size_t t) const { return sharing_[t]; }
  /// Whether `refresh` draws an auxiliary that the transition `t` reads.
  bool draws_for(std::size_t t, std::size_t refresh) const;
  /// What `other` influences by another way than through `one` and its stages, for `other` of
  /// sharing(one) that draws no auxiliary for it.
  const IdSet& reached(std::size_t one, std::size_t other) const {
    return reached_.at({one, other});
  }
  /// Noises that two transitions share; none where they are entangled only through others.
  IdSet shared(std::size_t one, std::size_t other) const;

 private:
  std::vector<std::size_t> find_sharing(std::size_t t) const;
  void find_reached(std::size_t t);
  /// The noises behind them, and those that two updates told of and that what it reads knows.
  IdSet behind_parameters(std::size_t t) const;
  /// Versions that a transition and its stages read, at any remove within the sweep.
  IdSet read_by(std::size_t t) const;
  void find_tellers();
  /// An exchange makes one slot tell of the noises that another one was moved with.
  void pass_on();
  /// And of all that these are entangled with.
  void entangle_joint_slots();
  bool writes_several_slots(std::size_t t) const;
  /// By updates of which none draws the other's auxiliary.
  bool is_told_apart(std::int32_t noise) const;
  /// Of the auxiliaries that it moves: they tell of what their laws are made from.
  IdSet behind_laws(std::size_t t) const;
  /// To the inputs of a part of `t`. What the law of an auxiliary beside the state was made from is
  /// a parameter of `t`.
  IdSet known_given_laws(std::size_t t, const OperationInfo& part) const;
  /// Of all versions that an operation reads, at any remove.
  IdSet known_to_inputs(const OperationInfo& who) const;
  /// A copy between slots and what joins them tells what they tell.
  void copy_known(const OperationInfo& who);

  const Analysis& a_;
  std::vector<NoiseWays> ways_;                    ///< by transition
  std::vector<IdSet> told_;                        ///< by transition: what NoiseWays::told says
  std::vector<IdSet> known_;                       ///< by value
  std::vector<IdSet> reads_;                       ///< by transition: versions
  std::vector<std::vector<std::size_t>> tellers_;  ///< by noise: transitions that tell of it
  std::vector<IdSet> entangled_;                   ///< by transition: others
  std::vector<std::vector<std::size_t>> sharing_;  ///< by transition
  std::map<std::pair<std::size_t, std::size_t>, IdSet> reached_;
};

/// Those that a refresh of this sweep drew an auxiliary state with, in full or in part.
IdSet noises_of_redraw(const Analysis& a, Value state);

/// Whether an auxiliary that `who` reads was fully redrawn in this sweep.
bool is_fresh_auxiliary(const Analysis& a, const OperationInfo& who, Value state);

}  // namespace mixwell
