// Exact invariance on finite worlds: a kernel graph by tables instead of numbers, without draws.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/graph/graph.hpp>
#include <mixwell/lab/certificate.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace mixwell {

/// A world reads a graph on finite sets: a slot has three places, a law random whole-number
/// weights, and every operation becomes a random table that honours its declared traits. Slots
/// start with the law of the target, so that the exact law of the recorded slots after each sweep
/// must be the target again.
struct WorldsEffort {
  int worlds = 20;
  int sweeps = 4;
  /// Compares the joint law of all recorded slots; false: only of those that have a factor
  /// together, for slots that a certificate calls coupled.
  bool joint = true;
  /// Instead of some sweeps, one sweep to first order in a small step: for local updates without a
  /// Metropolis decision, which are right only in the limit.
  bool first_order = false;
  bool frozen = false;      ///< as if nothing were learnt any more
  std::uint64_t first = 1;  ///< seed of the first world
  /// How many weights all worlds together may move, some 30 million in a second. Worlds that do not
  /// fit are left out; a graph of which not even one fits has no reading.
  std::int64_t most_work = std::numeric_limits<std::int64_t>::max();
};

/// Where the law of the recorded slots leaves the target.
struct Departure {
  std::uint64_t world = 0;  ///< its seed
  int places = 3;           ///< of a slot
  int sweep = 0;            ///< the first
  double size = 0.0;        ///< the largest difference of two probabilities
};

/// What so many worlds say of a graph. They know roles, traits and versions, and no rule.
struct FiniteReadingResult {
  int worlds = 0;                        ///< that were tried
  std::optional<Departure> departure{};  ///< of the first one that is not invariant
  std::int64_t work = 0;                 ///< WorldsEffort::most_work, as far as it was used
  std::string unread{};  ///< why the graph has no finite reading, a clause; empty if it has one

  bool invariant() const noexcept { return unread.empty() && !departure; }
};

/// Two different probabilities count as equal with a chance of about 1e-18, equal ones never as
/// different. Takes some milliseconds.
MIXWELL_EXPORT FiniteReadingResult read_on_worlds(const KernelGraph& graph,
                                                  const WorldsEffort& effort = {});

/// A verdict beside worlds. A promise is `exact` or, of updates without a Metropolis decision,
/// `asymptotic`.
enum class WorldsJudgement {
  right,   ///< promised, and invariant in every world
  hole,    ///< promised, and some world departs
  wrong,   ///< biased, and some world departs
  strict,  ///< biased, and invariant in every world
  silent,  ///< of another class, or too little is seen of it
  unread   ///< no finite reading
};
MIXWELL_EXPORT std::string_view to_string(WorldsJudgement judgement) noexcept;

struct WorldsComparison {
  WorldsJudgement judgement = WorldsJudgement::silent;
  WorldsEffort effort{};  ///< as the graph was read
  bool limit = false;     ///< some update has no Metropolis decision: right only in the limit
  FiniteReadingResult finite{};
};

/// Whether a verdict promises what worlds can contradict.
MIXWELL_EXPORT bool is_promise(const KernelGraph& graph, const Verdict& verdict);

/// Reads the graph if the verdict says something that worlds can see: jointly unless it is coupled,
/// to first order where it has small steps.
MIXWELL_EXPORT WorldsComparison compare_with_worlds(const KernelGraph& graph,
                                                    const Verdict& verdict,
                                                    const WorldsEffort& effort = {});

}  // namespace mixwell
