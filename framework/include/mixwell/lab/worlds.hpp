// Exact invariance on finite worlds: a kernel graph by tables instead of numbers, without draws.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>
#include <mixwell/graph.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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
  /// Instead of some sweeps, one sweep to first order in a small step: for updates without a
  /// Metropolis decision, which are right only in the limit. Sees no momenta.
  bool first_order = false;
  std::uint64_t first = 1;  ///< seed of the first world
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
  std::string unread{};  ///< why the graph has no finite reading, a clause; empty if it has one

  bool invariant() const noexcept { return unread.empty() && !departure; }
};

/// Two different probabilities count as equal with a chance of about 1e-18, equal ones never as
/// different. Takes some milliseconds.
MIXWELL_EXPORT FiniteReadingResult read_on_worlds(const KernelGraph& graph,
                                                  const WorldsEffort& effort = {});

/// What follows from some values, and with which probability.
struct WorldRow {
  std::vector<int> in;
  std::vector<int> out;
  std::string share;  ///< a fraction: the weight of a law, the probability of an outcome
};

/// A table of a world under the names of the graph: whole numbers in, whole numbers out.
struct WorldTable {
  std::string name;                  ///< of the operation, or of the law
  std::vector<std::string> inputs;   ///< names of values or, for a law, of variables
  std::vector<std::string> outputs;  ///< none for a law
  std::vector<WorldRow> rows;
};

/// A world that a reader can recompute with fractions.
struct CounterExample {
  Departure departure;
  std::vector<std::string> slots;      ///< recorded ones
  std::vector<int> sizes;              ///< how many places each has
  std::vector<WorldTable> weights;     ///< of the factors
  std::vector<WorldTable> operations;  ///< in the order of the sweep, as far as they were reached
  std::vector<int> state;              ///< of the slots, where the difference is largest
  std::string expected;                ///< probability of `state` in the target, a fraction
  std::string found;                   ///< after `departure.sweep` sweeps
};

/// The smallest of the worlds that depart, recomputed with rational numbers; none where none
/// departs or the graph has no finite reading.
MIXWELL_EXPORT std::optional<CounterExample> counter_example(const KernelGraph& graph,
                                                             const WorldsEffort& effort = {});

}  // namespace mixwell
