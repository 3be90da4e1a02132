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
using StateKey = std::uint64_t;

/// Some bits of a key. Of no bits: a value that is always 0, or that nobody reads.
struct KeyBits {
  int shift = 0;
  int bits = 0;

  StateKey mask() const { return ((StateKey{1} << bits) - 1) << shift; }
  int value(StateKey key) const { return static_cast<int>((key & mask()) >> shift); }
  StateKey with(int value) const { return bits == 0 ? 0 : static_cast<StateKey>(value) << shift; }
};

struct KeyStep {
  std::size_t operation = 0;
  std::vector<KeyBits> in;
  std::vector<KeyBits> out;
  StateKey reads = 0;  ///< bits of all inputs
  StateKey kept = 0;   ///< bits that are read later, but for the outputs
  KeyBits choice;      ///< of its guard
  int branch = 0;
  std::vector<KeyBits> otherwise;  ///< what each output keeps where the guard says no
};

/// A value from which some later value of a recorded slot follows, in whichever sweep, has a cell
/// from its writer to its last reader; operations that nothing recorded follows from have no step.
/// Throws NoReading where 64 bits are too few.
class KeyLayout {
 public:
  explicit KeyLayout(const FiniteReading& reading);

  const std::vector<KeyStep>& steps() const { return steps_; }
  /// From where something stands at the end of a sweep to where it stands at its beginning.
  const std::vector<std::pair<KeyBits, KeyBits>>& carried() const { return carried_; }
  /// What stays as it was where its branch is not taken, and where it stands at the start.
  const std::map<std::int32_t, KeyBits>& kept_by_guards() const { return before_; }
  bool carries(Variable v) const { return carries_.at(static_cast<std::size_t>(v.id)); }
  KeyBits at_start(Variable v) const;

 private:
  void find_relevant();
  bool writes_relevant(const OperationInfo& who) const;
  bool mark(Value v);
  bool mark_inputs(const OperationInfo& who);
  void find_last_reads();
  bool outlives_its_branch(Value v) const;
  KeyBits take(int size);
  void release(KeyBits cell);
  void begin();
  void add_step(std::size_t operation);
  KeyBits otherwise(Value out) const;

  const FiniteReading& reading_;
  const KernelGraph& graph_;
  std::vector<bool> relevant_;  ///< by value
  std::vector<int> last_;       ///< operation that reads a value last; -1: none
  std::vector<bool> carries_;   ///< by variable
  std::vector<Value> kept_by_guards_;
  std::map<std::int32_t, KeyBits> before_;  ///< of those, what they were in the sweep before
  std::vector<KeyBits> cells_;              ///< by value
  std::vector<KeyBits> start_;              ///< by variable
  std::vector<KeyStep> steps_;
  std::vector<std::pair<KeyBits, KeyBits>> carried_;
  StateKey used_ = 0;
};

}  // namespace mixwell::worlds
