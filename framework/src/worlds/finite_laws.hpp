// The weights of the laws of a graph in one world: random whole numbers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "worlds/reading.hpp"

namespace mixwell::worlds {

/// Where slots and auxiliaries are: their values by their ids, -1 where that is not said.
using SlotPlaces = std::vector<int>;

/// Weights from 1 to 5 of factors; those of a free law of n values have the sum 3 n, whatever its
/// number, as a ratio of two densities needs.
class MIXWELL_INTERNAL FiniteLaws {
 public:
  FiniteLaws(const FiniteReading& reading, std::uint64_t seed) : reading_(reading), seed_(seed) {}

  SlotPlaces nowhere() const { return SlotPlaces(reading_.graph().variables().size(), -1); }
  SlotPlaces only(Variable v, int value) const;
  /// Of a variable, or of the members of a joined one.
  void place(SlotPlaces& where, Variable v, int value) const;

  /// Of a law value with a number, at places. Throws NoReading where the place of a slot is
  /// missing.
  std::uint64_t weight(Value law, int number, const SlotPlaces& where) const;
  /// Whether it is a law of what has places here; others are of no concern to an opaque kernel.
  bool concerns(Value law, const SlotPlaces& where) const;
  std::uint64_t target(const Factor& factor, const SlotPlaces& where) const;
  /// The product of all factors whose slots have places.
  std::uint64_t target(const SlotPlaces& where) const;
  /// The term of an estimated factor that its estimate is made from; the factor is their sum.
  std::uint64_t estimate(Value factor, int from, const SlotPlaces& where) const;

 private:
  std::uint64_t of_factors(Value law, const SlotPlaces& where) const;
  std::uint64_t summed(const LawReading& of, int before, const SlotPlaces& where) const;
  std::uint64_t free(const LawReading& of, int number, const SlotPlaces& where) const;
  std::uint64_t entry(std::uint64_t table, const Factor& factor, int term,
                      const SlotPlaces& where) const;

  const FiniteReading& reading_;
  std::uint64_t seed_;
};

}  // namespace mixwell::worlds
