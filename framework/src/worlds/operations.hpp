// What each operation of a graph does in one world: tables that honour its declared traits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "worlds/chance.hpp"
#include "worlds/exact.hpp"
#include "worlds/finite_laws.hpp"
#include "worlds/reading.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace mixwell::worlds {

/// One thing that an operation may do: a value for each output, and with which probability.
struct Outcome {
  std::vector<int> written;
  Share share;
};
using Outcomes = std::vector<Outcome>;

/// | kind | table |
/// |---|---|
/// | pure, observe | a function of the inputs; every draw of a noise with the same probability |
/// | refresh | a draw from the law; of one that is not `full` a kernel that keeps it |
/// | move, involution and volume | at every fixed parameter and noise z a permutation F with R F R
/// F = 1, or with R F(-z) R F(z) = 1 where it flips the noise; R turns momenta | | move, invariant
/// | two Metropolis steps, whose product is not reversible | | accept | Metropolis, or Barker, by
/// the laws at both ends | | regroup | a copy | An operation that declares less does worse. A body
/// is one function, whoever shares it.
class Operations {
 public:
  Operations(const FiniteReading& reading, const FiniteLaws& laws, std::uint64_t seed);

  /// in: the value of every input; that of a fresh noise is not read.
  Outcomes outcomes(std::size_t operation, const std::vector<int>& in) const;

 private:
  /// Inputs and outputs by what they are to the operation.
  struct Shape {
    std::vector<std::size_t> states, proposed, laws, at_proposal, stage_laws, parameters;
    std::vector<std::size_t> fresh;   ///< noises
    std::vector<std::size_t> handed;  ///< draws that are read as noise and were handed on
    std::vector<std::size_t> moved;   ///< outputs of the first states
    std::vector<Variable> of;         ///< the variable of each state
  };
  struct Call {
    const OperationInfo& who;
    const Shape& shape;
    std::uint64_t seed;
    const std::vector<int>& in;
  };
  /// The draws that turn on the way back, as one number of `total`; the rest is in the seed.
  struct Turned {
    std::uint64_t seed = 0;
    int draw = 0;
    int total = 1;
    bool in_law = false;
  };

  Shape shape_of(const OperationInfo& who) const;
  Outcomes function(const Call& call) const;
  Outcomes copy(const Call& call) const;
  Outcomes refresh(const Call& call) const;
  Outcomes move(const Call& call) const;
  Outcomes opaque(const Call& call) const;
  Outcomes accept(const Call& call) const;

  std::vector<int> evaluated(const Call& call, const std::vector<int>& in) const;
  int law_number(Value law, const OperationInfo& who, const std::vector<int>& in) const;
  std::uint64_t fixed(const Call& call, std::size_t first_state) const;
  Outcomes written(const Call& call, const std::vector<Share>& shares) const;
  std::vector<std::uint64_t> refresh_weights(const Call& call) const;
  Turned turned(const Call& call) const;
  void spread(Value law, int number, Turned& into) const;
  Permutation turn_momenta(const Call& call, const Radix& radix) const;
  Permutation map(const Call& call, const Turned& noise, int own, const Permutation& turn) const;
  Radix moved_radix(const Call& call) const;
  int moved_from(const Call& call, const Radix& radix) const;
  Outcome moved_to(const Call& call, const Radix& radix, int x, Share share) const;
  void place(Places& all, Variable v, int value) const;
  Share ratio(const Call& call, const Places& here, const Places& there) const;
  Outcome decided(const Call& call, bool accepted, Share share) const;
  bool is_turned_back(const Call& call, std::size_t k) const;

  const FiniteReading& reading_;
  const FiniteLaws& laws_;
  const KernelGraph& graph_;
  std::uint64_t seed_;
  std::vector<Shape> shapes_;
};

}  // namespace mixwell::worlds
