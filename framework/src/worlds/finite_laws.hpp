// The weights of the laws of a graph in one world: random whole numbers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "worlds/reading.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace mixwell::worlds {

/// Where slots and auxiliaries are: their values by their ids.
using SlotPlaces = std::map<std::int32_t, int>;

/// Weights from 1 to 5 of factors; those of a free law of n values have the sum 3 n, whatever its
/// number, as a ratio of two densities needs.
class FiniteLaws {
 public:
  FiniteLaws(const FiniteReading& reading, std::uint64_t seed) : reading_(reading), seed_(seed) {}

  /// Of a law value with a number, at places. Throws NoReading where the place of a slot is
  /// missing.
  std::uint64_t weight(Value law, int number, const SlotPlaces& at) const;
  /// Whether it is a law of what has places here; others are of no concern to an opaque kernel.
  bool concerns(Value law, const SlotPlaces& at) const;
  /// The product of all factors at the places of their slots.
  std::uint64_t target(const Factor& factor, const SlotPlaces& at) const;
  /// The term of an estimated factor that its estimate is made from; the factor is their sum.
  std::uint64_t estimate(Value factor, int from, const SlotPlaces& at) const;

 private:
  /// Where the digits of a law's number say that slots are, and the number of the law before.
  struct Told {
    SlotPlaces at;
    int before = 0;
  };
  Told told(Value law, const LawReading& of, int number) const;
  std::uint64_t of_factors(Value law, const SlotPlaces& at) const;
  std::uint64_t summed(const LawReading& of, int before, const SlotPlaces& at) const;
  std::uint64_t free(const LawReading& of, int number, const SlotPlaces& at) const;
  std::uint64_t entry(std::uint64_t table, const Factor& factor, int term,
                      const SlotPlaces& at) const;

  const FiniteReading& reading_;
  std::uint64_t seed_;
};

}  // namespace mixwell::worlds
