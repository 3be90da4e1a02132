// The smallest finite world that departs, as tables under the names of the graph.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/lab/worlds.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mixwell {

/// What follows from some values, and with which probability.
struct WorldRow {
  std::vector<int> in;
  std::vector<int> out;
  std::string share;  ///< a fraction: the probability of an outcome
};

/// A table of a world under the names of the graph: whole numbers in, whole numbers out.
struct WorldTable {
  std::string name;                  ///< of the operation
  std::vector<std::string> inputs;   ///< names of values
  std::vector<std::string> outputs;  ///< likewise
  std::vector<WorldRow> rows;
  /// Of an operation in a branch: where this input is not `branch`, each output is what `otherwise`
  /// names, or 0 where that is empty.
  std::string choice{};
  int branch = 0;
  std::vector<std::string> otherwise{};
  std::vector<std::string> forgets{};  ///< values that nothing reads afterwards
};

/// A world that a reader can recompute with fractions.
struct CounterExample {
  Departure departure;
  bool first_order = false;            ///< shares are "a" or "a + b eps"
  std::vector<std::string> slots;      ///< recorded ones, where they are compared
  std::vector<int> sizes;              ///< how many places each has
  WorldTable start;                    ///< outputs: what is carried over sweeps, with their shares
  std::vector<WorldTable> operations;  ///< in the order of the sweep, as far as they were reached
  /// At the end of a sweep: the name at its start, and the value it gets.
  std::vector<std::pair<std::string, std::string>> carried;
  std::vector<int> state;  ///< of the slots, where the difference is largest
  std::string expected;    ///< probability of `state` in the target, a fraction
  std::string found;       ///< after `departure.sweep` sweeps
};

/// The smallest of the worlds that depart, recomputed with rational numbers; none where none
/// departs or the graph has no finite reading.
MIXWELL_INTERNAL std::optional<CounterExample> counter_example(const KernelGraph& graph,
                                                               const WorldsEffort& effort = {});

/// Uses Python's fractions and nothing else; prints both probabilities. `what`: the composition and
/// its phase, in one line.
std::string script_of(const CounterExample& example, const std::string& what);

/// "x0 = 1, x1 = 0": where the difference is largest.
std::string state_in_words(const CounterExample& example);

}  // namespace mixwell
