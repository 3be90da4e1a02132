// Where each value of a finite world is stored in the packed state during a sweep.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "worlds/reading.hpp"

namespace mixwell::worlds {

/// The state of a world: all values that are in use at one time, packed into bits.
using StateKey = std::uint64_t;

/// Some bits of a key. A value that is always 0, or that no operation reads, has no bits.
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
  StateKey kept = 0;   ///< bits that later operations read, without the outputs
  KeyBits choice;      ///< the choice that the operation's guard reads
  int branch = 0;
  std::vector<KeyBits>
      otherwise;  ///< the values that the outputs keep if the guard does not let the operation run
};

/// A value has a cell from its writer to its last reader if a later value of a recorded slot
/// depends on it, in any sweep. Operations on which no recorded slot depends have no step.
struct KeyLayout {
  std::vector<KeyStep> steps;
  /// For each carried value: its cell at the end of a sweep, and its cell at the start of the next
  /// sweep.
  std::vector<std::pair<KeyBits, KeyBits>> carried;
  /// Values that stay unchanged where their branch is not taken, with their cells at the start.
  std::map<std::int32_t, KeyBits> kept_by_guards;
  std::vector<bool> carries;   ///< by variable
  std::vector<KeyBits> start;  ///< by variable

  KeyBits at_start(Variable v) const { return start[static_cast<std::size_t>(v.id)]; }
};

/// Throws NoReading if 64 bits are too few.
MIXWELL_INTERNAL KeyLayout layout_of(const FiniteReading& reading);

}  // namespace mixwell::worlds
