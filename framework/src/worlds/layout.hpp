// Where each value stands in a configuration while a sweep runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "worlds/reading.hpp"

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
struct KeyLayout {
  std::vector<KeyStep> steps;
  /// From where something stands at the end of a sweep to where it stands at its beginning.
  std::vector<std::pair<KeyBits, KeyBits>> carried;
  /// What stays as it was where its branch is not taken, and where it stands at the start.
  std::map<std::int32_t, KeyBits> kept_by_guards;
  std::vector<bool> carries;   ///< by variable
  std::vector<KeyBits> start;  ///< by variable

  KeyBits at_start(Variable v) const { return start[static_cast<std::size_t>(v.id)]; }
};

/// Throws NoReading where 64 bits are too few.
MIXWELL_INTERNAL KeyLayout layout_of(const FiniteReading& reading);

}  // namespace mixwell::worlds
