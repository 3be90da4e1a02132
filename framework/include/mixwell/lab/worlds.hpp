// Exact tests of invariance on finite worlds: a kernel graph with tables instead of numbers,
// without draws.
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

/// The effort of a test on worlds. A world interprets a graph on finite sets: a slot has three
/// places, a law has random whole-number weights, and every operation becomes a random table that
/// satisfies its declared traits. Slots start distributed as the target, so the exact distribution
/// of the recorded slots after each sweep must be the target again.
struct WorldsEffort {
  int worlds = 20;
  int sweeps = 4;
  /// Compare the joint distribution of all recorded slots. If false, compare only slots that share
  /// a factor. Use false for slots that a certificate calls coupled.
  bool joint = true;
  /// Instead of several sweeps, test one sweep to first order in a small step. Use this for local
  /// updates without a Metropolis decision, which are right only in the limit.
  bool first_order = false;
  bool frozen = false;      ///< test as if learning had ended
  std::uint64_t first = 1;  ///< seed of the first world
  /// Largest number of weights that all worlds together may move. About 30 million take a second.
  /// Worlds that exceed it are omitted. If not even one world fits, the graph has no reading.
  std::int64_t most_work = std::numeric_limits<std::int64_t>::max();
};

/// A world in which the distribution of the recorded slots departs from the target.
struct Departure {
  std::uint64_t world = 0;  ///< its seed
  int places = 3;           ///< of a slot
  int sweep = 0;            ///< the first sweep that departs from the target
  double size = 0.0;        ///< the largest difference of two probabilities
};

/// The result of all worlds for a graph. Worlds use roles, traits and versions, but no rules of the
/// certificate.
struct FiniteReadingResult {
  int worlds = 0;                        ///< number of tested worlds
  std::optional<Departure> departure{};  ///< departure of the first world that is not invariant
  std::int64_t work = 0;                 ///< used part of WorldsEffort::most_work
  std::string unread{};  ///< why the graph has no finite reading, as a clause; "" if it has one

  bool invariant() const noexcept { return unread.empty() && !departure; }
};

/// Reads a graph on finite worlds. Different probabilities count as equal with a chance of about
/// 1e-18. Equal probabilities never count as different. Takes a few milliseconds.
MIXWELL_EXPORT FiniteReadingResult read_on_worlds(const KernelGraph& graph,
                                                  const WorldsEffort& effort = {});

/// Comparison of a verdict with worlds. A verdict promises something if it is `exact` or, for
/// updates without a Metropolis decision, `asymptotic`.
enum class WorldsJudgement {
  right,   ///< promised, and invariant in every world
  hole,    ///< promised, but some world departs from the target
  wrong,   ///< biased, and some world departs from the target
  strict,  ///< biased, but invariant in every world
  silent,  ///< another class, or worlds cover too little of the graph
  unread   ///< no finite reading
};
/// The judgement as a word: "right", "hole", ...
MIXWELL_EXPORT std::string_view to_string(WorldsJudgement judgement) noexcept;

/// The result of comparing a verdict with worlds.
struct WorldsComparison {
  WorldsJudgement judgement = WorldsJudgement::silent;
  WorldsEffort effort{};  ///< settings of the reading
  bool limit = false;  ///< some update has no Metropolis decision, so it is right only in the limit
  FiniteReadingResult finite{};
};

/// True if a verdict promises something that worlds can contradict.
MIXWELL_EXPORT bool is_promise(const KernelGraph& graph, const Verdict& verdict);

/// Reads the graph if the verdict states something that worlds can test. The comparison is joint
/// unless the verdict is coupled, and to first order if the graph has small steps.
MIXWELL_EXPORT WorldsComparison compare_with_worlds(const KernelGraph& graph,
                                                    const Verdict& verdict,
                                                    const WorldsEffort& effort = {});

}  // namespace mixwell
