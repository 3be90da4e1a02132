// Where each value stands in a configuration while a sweep runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "worlds/reading.hpp"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace mixwell::worlds {

/// The values that are alive at one time, packed into bits.
using Key = std::uint64_t;

/// Some bits of a key. Of no bits: a value that is always 0, or that nobody reads.
struct Cell {
  int shift = 0;
  int bits = 0;

  Key mask() const { return ((Key{1} << bits) - 1) << shift; }
  int value(Key key) const { return static_cast<int>((key & mask()) >> shift); }
  Key with(int value) const { return bits == 0 ? 0 : static_cast<Key>(value) << shift; }
};

struct Step {
  std::size_t operation = 0;
  std::vector<Cell> in;
  std::vector<Cell> out;
  Key reads = 0;  ///< bits of all inputs
  Key kept = 0;   ///< bits that are read later, but for the outputs
  Cell choice;    ///< of its guard
  int branch = 0;
  std::vector<Cell> otherwise;  ///< what each output keeps where the guard says no
};

/// A value from which some later value of a recorded slot follows, in whichever sweep, has a cell
/// from its writer to its last reader; operations that nothing recorded follows from have no step.
/// Throws NoReading where 64 bits are too few.
class Layout {
 public:
  explicit Layout(const FiniteReading& reading);

  const std::vector<Step>& steps() const { return steps_; }
  /// From where something stands at the end of a sweep to where it stands at its beginning.
  const std::vector<std::pair<Cell, Cell>>& carried() const { return carried_; }
  bool carries(Variable v) const { return carries_.at(static_cast<std::size_t>(v.id)); }
  Cell at_start(Variable v) const;

 private:
  void find_relevant();
  bool writes_relevant(const OperationInfo& who) const;
  bool mark(Value v);
  bool mark_inputs(const OperationInfo& who);
  void find_last_reads();
  bool outlives_its_branch(Value v) const;
  Cell take(int size);
  void release(Cell cell);
  void begin();
  void add_step(std::size_t operation);
  Cell otherwise(Value out) const;

  const FiniteReading& reading_;
  const KernelGraph& graph_;
  std::vector<bool> relevant_;  ///< by value
  std::vector<int> last_;       ///< operation that reads a value last; -1: none
  std::vector<bool> carries_;   ///< by variable
  std::vector<Value> kept_by_guards_;
  std::map<std::int32_t, Cell> before_;  ///< of those, what they were in the sweep before
  std::vector<Cell> cells_;              ///< by value
  std::vector<Cell> start_;              ///< by variable
  std::vector<Step> steps_;
  std::vector<std::pair<Cell, Cell>> carried_;
  Key used_ = 0;
};

}  // namespace mixwell::worlds
