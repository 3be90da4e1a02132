// Compilation of a kernel graph: which values share memory, what runs when, what may run at once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/graph/graph.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace mixwell {

/// Where a value's numbers live. Values of the same buffer name share memory, within a phase and
/// between phases.
struct Placement {
  std::string buffer;  ///< empty: no numbers
  bool saved = false;  ///< belongs to a checkpoint
};

/// In which sweeps a step runs, from the most to the fewest.
enum class When {
  every_sweep,
  recorded_sweep,  ///< its results are only recorded
  first_draw,      ///< they are recorded once: the first recorded sweep of the sampling phase
};

/// One step of a sweep: an operation, or the copy of a version that is read after it is replaced.
struct Step {
  std::int32_t operation = -1;
  Value copied;  ///< operation < 0: into the buffer copy_buffer(copied)
  /// Runs once, before the first sweep: its outputs are carried over sweeps from then on.
  bool prologue = false;
  When when = When::every_sweep;
  /// Writes what all replicates share: runs alone, on all columns at once.
  bool barrier = false;
};

/// Steps that run one after another on one column block.
using Task = std::vector<std::int32_t>;

struct Plan {
  const Placement& at(Value value) const { return placement[static_cast<std::size_t>(value.id)]; }

  std::vector<Placement> placement;  ///< by value id
  /// By input position of each operation: the buffer that is read (that of a copy where the
  /// version has been replaced by then).
  std::vector<std::vector<std::string>> reads;
  std::vector<Step> steps;  ///< in program order
  /// Tasks of each level may run at once; levels follow one another. Prologue steps are in none.
  std::vector<std::vector<Task>> levels;
};

/// Where the copy of a version that outlives its replacement is kept.
MIXWELL_EXPORT std::string copy_buffer(const KernelGraph& graph, Value version);

/// By value id: the gradient of an evaluation that is only carried on from version to version, as
/// that of a random walk is. It needs no memory, and only U is evaluated. O(V + E) a round, one
/// round for each operation that carries a gradient at most.
std::vector<bool> unread_gradients(const KernelGraph& graph);

/// O(V + E) for memory, O(steps * edges) for the transitive reduction.
MIXWELL_EXPORT Plan make_plan(const KernelGraph& graph);

}  // namespace mixwell
