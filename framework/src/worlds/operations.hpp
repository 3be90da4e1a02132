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
struct TableOutcome {
  std::vector<int> written;
  Term term;
};
using TableOutcomes = std::vector<TableOutcome>;

/// docs/worlds.md says what each kind of operation does. A body is one function, whoever shares it.
class Operations {
 public:
  Operations(const FiniteReading& reading, const FiniteLaws& laws, std::uint64_t seed);

  /// in: the value of every input; that of a fresh noise is not read.
  TableOutcomes outcomes(std::size_t operation, const std::vector<int>& in) const;

 private:
  /// Inputs and outputs by what they are to the operation.
  struct EdgeRoles {
    std::vector<std::size_t> states, proposed, laws, at_proposal, stage_laws, parameters;
    std::vector<std::size_t> fresh;   ///< noises
    std::vector<std::size_t> handed;  ///< draws that are read as noise and were handed on
    std::vector<std::size_t> moved;   ///< outputs of the first states
    std::vector<Variable> of;         ///< the variable of each state
  };
  struct TableCall {
    const OperationInfo& who;
    const EdgeRoles& shape;
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

  EdgeRoles shape_of(const OperationInfo& who) const;
  TableOutcomes function(const TableCall& call) const;
  TableOutcomes copy(const TableCall& call) const;
  TableOutcomes refresh(const TableCall& call) const;
  TableOutcomes move(const TableCall& call) const;
  TableOutcomes opaque(const TableCall& call) const;
  TableOutcomes drift(const TableCall& call) const;
  std::vector<std::uint64_t> weights_of_flow(const TableCall& call, const Radix& radix) const;
  TableOutcomes trajectory(const TableCall& call) const;
  bool is_corrected(const OperationInfo& who) const;
  void add_gradient_noise(const TableCall& call, Value law, int number, TableOutcomes& all) const;
  std::vector<std::uint64_t> weights_of_moved(const TableCall& call, const Radix& radix) const;
  TableOutcomes accept(const TableCall& call) const;

  std::vector<int> evaluated(const TableCall& call, const std::vector<int>& in) const;
  int law_number(Value law, const OperationInfo& who, const std::vector<int>& in) const;
  std::uint64_t fixed(const TableCall& call, std::size_t first_state,
                      bool is_corrected = false) const;
  TableOutcomes written(const TableCall& call, const std::vector<Share>& shares) const;
  std::vector<std::uint64_t> refresh_weights(const TableCall& call) const;
  Turned turned(const TableCall& call) const;
  void spread(Value law, int number, Turned& into) const;
  Permutation turn_momenta(const TableCall& call, const Radix& radix) const;
  Permutation map(const TableCall& call, const Turned& noise, int own,
                  const Permutation& turn) const;
  Radix moved_radix(const TableCall& call) const;
  int moved_from(const TableCall& call, const Radix& radix) const;
  TableOutcome moved_to(const TableCall& call, const Radix& radix, int x, Share share) const;
  TableOutcomes to_share(const TableCall& call, const Radix& radix,
                         const std::vector<Share>& shares) const;
  void place(SlotPlaces& all, Variable v, int value) const;
  Share ratio(const TableCall& call, const SlotPlaces& here, const SlotPlaces& there) const;
  TableOutcome decided(const TableCall& call, bool accepted, Share share) const;
  bool is_turned_back(const TableCall& call, std::size_t k) const;

  const FiniteReading& reading_;
  const FiniteLaws& laws_;
  const KernelGraph& graph_;
  std::uint64_t seed_;
  std::vector<EdgeRoles> shapes_;
};

}  // namespace mixwell::worlds
