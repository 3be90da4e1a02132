// Finds the smallest finite world in which the distribution of the slots departs from the target.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/lab/worlds.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mixwell {

/// One row of a table: input values, output values, and the probability of these outputs.
struct WorldRow {
  std::vector<int> in;
  std::vector<int> out;
  std::string share;  ///< the probability of the outcome, a fraction
};

/// A table of a world, with the names of the graph. Its inputs and outputs are whole numbers.
struct WorldTable {
  std::string name;                  ///< of the operation
  std::vector<std::string> inputs;   ///< names of values
  std::vector<std::string> outputs;  ///< names of values
  std::vector<WorldRow> rows;
  /// For an operation in a branch: the value that chooses the branch. If it is not `branch`, each
  /// output takes the value that `otherwise` names, or 0 for an empty name.
  std::string choice{};
  int branch = 0;
  std::vector<std::string> otherwise{};
  std::vector<std::string> forgets{};  ///< values that nothing reads afterwards
};

/// A world that a reader can recompute with fractions.
struct CounterExample {
  Departure departure;
  bool first_order = false;  ///< whether shares have the form "a + b eps", to first order in eps
  std::vector<std::string> slots;  ///< the recorded slots that are compared
  std::vector<int> sizes;          ///< how many places each slot has
  WorldTable start;  ///< its outputs are the values carried to the next sweep, with their shares
  std::vector<WorldTable>
      operations;  ///< the operations that the example needs, in the order of the sweep
  /// For each carried value: its name at the start of a sweep, and the name of the value that
  /// replaces it at the end.
  std::vector<std::pair<std::string, std::string>> carried;
  std::vector<int> state;  ///< state of the slots with the largest difference
  std::string expected;    ///< probability of `state` in the target, a fraction
  std::string found;       ///< probability of `state` after `departure.sweep` sweeps
};

/// The smallest world that leaves the target, recomputed with rational numbers. None if no world
/// leaves it or the graph has no finite reading.
MIXWELL_INTERNAL std::optional<CounterExample> counter_example(const KernelGraph& graph,
                                                               const WorldsEffort& effort = {});

/// A script that uses only Python's fractions and prints both probabilities. `what`: the
/// composition and its phase, in one line.
std::string script_of(const CounterExample& example, const std::string& what);

/// "x0 = 1, x1 = 0": the state with the largest difference.
std::string state_in_words(const CounterExample& example);

}  // namespace mixwell
