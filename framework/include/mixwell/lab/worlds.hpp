// Exact tests of invariance without sampling: random tables on finite sets replace operations.
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

/// Settings of a test on finite worlds. A world interprets a graph on finite sets: a slot has two
/// or three possible values, a law has random whole-number weights, and every operation becomes a
/// random table that has the declared traits of the operation. The slots start from the target
/// distribution, so the exact distribution of the recorded slots after each sweep must be the
/// target again.
struct WorldsEffort {
  int worlds = 20;
  int sweeps = 4;
  /// Compare the joint distribution of all recorded slots. If false, compare only slots that share
  /// a factor. Use false if Verdict::coupled is true, because the verdict then makes no promise
  /// about the joint distribution.
  bool joint = true;
  /// Test only one sweep, and only to first order in the step size. Use this for local updates
  /// without a Metropolis decision, which are exact only in the limit of small steps.
  bool first_order = false;
  bool frozen = false;      ///< test as if adaptation had ended
  std::uint64_t first = 1;  ///< seed of the first world
  /// Limit on the total work of all worlds. The unit is one transfer of a probability from one
  /// state to another (about 30 million per second). Mixwell omits the first world that exceeds the
  /// limit, and all later worlds. If even the smallest world exceeds the limit, the graph cannot be
  /// tested.
  std::int64_t most_work = std::numeric_limits<std::int64_t>::max();
};

/// A world in which the distribution of the recorded slots differs from the target.
struct Departure {
  std::uint64_t world = 0;  ///< its seed
  int places = 3;           ///< number of values of a slot
  int sweep = 0;            ///< the first sweep after which the distribution differs
  double size = 0.0;        ///< largest absolute error in a state's probability
};

/// The result of testing a graph on all worlds. The test reads the roles, traits and versions of
/// the graph. It does not use the certificate rules.
struct FiniteReadingResult {
  int worlds = 0;                        ///< number of tested worlds
  std::optional<Departure> departure{};  ///< the first departure from the target, if there is one
  std::int64_t work = 0;                 ///< the part of WorldsEffort::most_work that was used
  std::string unread{};  ///< the reason why the graph cannot be tested, as a clause, or ""

  bool invariant() const noexcept { return unread.empty() && !departure; }
};

/// Tests a graph on finite worlds in a few milliseconds. For two different probabilities, the
/// chance that the test takes them as equal is about 1e-18. It never takes equal probabilities as
/// different.
MIXWELL_EXPORT FiniteReadingResult read_on_worlds(const KernelGraph& graph,
                                                  const WorldsEffort& effort = {});

/// Comparison of a verdict with the results on finite worlds. A verdict that is `exact` promises
/// invariance. If some update has no Metropolis decision, a verdict that is `asymptotic` promises
/// invariance in the limit of small steps.
enum class WorldsJudgement {
  right,   ///< the verdict promises invariance, and every world is invariant
  hole,    ///< the verdict promises invariance, but some world departs from the target
  wrong,   ///< the verdict is biased, and some world departs from the target
  strict,  ///< the verdict is biased, but every world is invariant
  silent,  ///< worlds cannot test verdicts of this class, or show too little to judge this verdict
  unread   ///< worlds cannot test the graph
};
/// Returns the name of the enumerator, such as "hole".
MIXWELL_EXPORT std::string_view to_string(WorldsJudgement judgement) noexcept;

/// The result of comparing a verdict with worlds.
struct WorldsComparison {
  WorldsJudgement judgement = WorldsJudgement::silent;
  WorldsEffort effort{};  ///< settings of the test
  /// Some update has no Metropolis decision and is exact only in the limit of small steps.
  bool limit = false;
  FiniteReadingResult finite{};
};

/// True if a verdict promises invariance. Finite worlds can contradict such a promise.
MIXWELL_EXPORT bool is_promise(const KernelGraph& graph, const Verdict& verdict);

/// Tests the graph on worlds if the verdict promises invariance or is biased. Overrides two members
/// of `effort`: `joint` is true unless the verdict is coupled, and `first_order` is true if some
/// update makes one small step without a Metropolis decision.
MIXWELL_EXPORT WorldsComparison compare_with_worlds(const KernelGraph& graph,
                                                    const Verdict& verdict,
                                                    const WorldsEffort& effort = {});

}  // namespace mixwell
