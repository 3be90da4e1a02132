// Compiles a kernel graph: decides which values share memory, when operations run, and which
// operations may run in parallel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/graph/graph.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace mixwell {

/// The memory of a value. Values with the same buffer name share memory, within a phase and between
/// phases.
struct Placement {
  std::string buffer;  ///< empty: the value has no numbers
  bool saved = false;  ///< part of a checkpoint
};

/// The sweeps in which a step runs. Earlier values mean more sweeps.
enum class When {
  every_sweep,
  recorded_sweep,  ///< its results are used only for records
  first_draw,      ///< its results are recorded once, in the first recorded sweep of sampling
};

/// One step of a sweep: an operation, or the copy of a version that is read after it was replaced.
struct Step {
  std::int32_t operation = -1;
  Value copied;  ///< if operation < 0: copied into the buffer copy_buffer(copied)
  /// Whether the step runs once, before the first sweep. Its outputs are then carried from sweep to
  /// sweep.
  bool prologue = false;
  When when = When::every_sweep;
  /// Whether the step writes numbers that all replicates share. Such a step runs alone, on all
  /// columns at once.
  bool barrier = false;
};

/// Steps that run one after another on one column block.
using Task = std::vector<std::int32_t>;

struct Plan {
  const Placement& at(Value value) const { return placement[static_cast<std::size_t>(value.id)]; }

  std::vector<Placement> placement;  ///< indexed by value id
  /// The buffer that each operation reads, by operation and input. If a version is read after it
  /// was replaced, this is the buffer of its copy.
  std::vector<std::vector<std::string>> reads;
  std::vector<Step> steps;  ///< in program order
  /// The tasks of a level may run in parallel; levels run in order. Prologue steps are in no level.
  std::vector<std::vector<Task>> levels;
};

/// The name of the buffer for the copy of a version that is read after its replacement.
MIXWELL_EXPORT std::string copy_buffer(const KernelGraph& graph, Value version);

/// Indexed by value id: whether the value is a gradient that is only carried from version to
/// version and never read, as in a random walk. Such a gradient needs no memory, and only U is
/// evaluated. O(V + E) for each round, and at most one round for each operation that carries a
/// gradient.
std::vector<bool> unread_gradients(const KernelGraph& graph);

/// O(V + E) for memory, O(steps * edges) for the transitive reduction.
MIXWELL_EXPORT Plan make_plan(const KernelGraph& graph);

}  // namespace mixwell
