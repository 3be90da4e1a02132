// A kernel graph read on finite sets: how many values everything has, which tables are the same.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/edges.hpp"
#include "worlds/chance.hpp"

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace mixwell::worlds {

/// A graph has no finite reading; the reason is a clause for people.
class MIXWELL_INTERNAL NoReading : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// How many values there are of what is not derived from something else.
struct Sizes {
  int place = 3;     ///< of a slot
  int momentum = 3;  ///< of an auxiliary
  int draws = 3;     ///< of a noise, of what an estimate is made from
  int memory = 2;    ///< of a history
  int number = 2;    ///< of a derived number
  int most = 128;    ///< of any one value; more have no reading
};

/// That are alive at a time.
inline constexpr std::size_t most_states = 200'000;

/// What the weights of a law are.
enum class LawKind {
  factor,    ///< a table of its factor's slots
  same,      ///< those of the law it was made from: conditional, or only its gradient differs
  marginal,  ///< those of the law it was made from, summed over what nobody says
  estimate,  ///< one term of the sum that its factor is: which one says its number
  free       ///< a table of their own for every number
};

struct LawReading {
  LawKind kind = LawKind::free;
  Value before;                     ///< the law it was made from
  Value factor;                     ///< the constant law with a factor that it was made from
  std::uint64_t table = 0;          ///< laws of the same number have the same table
  std::vector<Variable> arguments;  ///< of a free one: slots or auxiliaries
  bool symmetric = false;           ///< of a free one: under the flip of a momentum
  bool estimated = false;           ///< of a factor: known only by an estimate
  std::string unread{};             ///< why it has no meaning; empty if it has one
};
/// Of every law of a graph, by its id.
std::map<std::int32_t, LawReading> read_laws(const KernelGraph& graph);

/// The number of a law as digits, the lowest first: which inputs of the operation that makes it
/// they are. Of views, and of laws without numbers, none.
struct LawDigits {
  std::vector<std::size_t> inputs;
  std::vector<Value> values;
  Radix radix;
};

/// Inputs and outputs of an operation by what they are to it.
struct EdgeRoles {
  std::vector<std::size_t> states, proposed, laws, at_proposal, stage_laws, parameters;
  std::vector<std::size_t> fresh;   ///< noises
  std::vector<std::size_t> handed;  ///< draws that are read as noise and were handed on
  std::vector<std::size_t> moved;   ///< outputs of the first states
  std::vector<Variable> of;         ///< the variable of each state
};

/// A graph as it is, with a finite set for every value. Sets, not numbers: only roles, traits,
/// versions and sharing say what an operation may do with them. Throws NoReading where some value
/// needs more than Sizes::most. Keeps a reference to the graph.
class MIXWELL_INTERNAL FiniteReading {
 public:
  FiniteReading(const KernelGraph& graph, const Sizes& sizes);

  const KernelGraph& graph() const { return graph_; }
  const Sizes& sizes() const { return sizes_; }
  int size(Variable v) const { return variables_[static_cast<std::size_t>(v.id)]; }
  /// 1: always the same, nothing to keep.
  int size(Value v) const { return values_[static_cast<std::size_t>(v.id)]; }
  const EdgeRoles& edges(std::size_t operation) const { return edges_[operation]; }
  /// Operations that compute the same function have the same number: they share a body, or their
  /// kernel was described twice.
  std::uint64_t function_of(std::size_t operation) const { return functions_[operation]; }
  bool is_law(Value v) const { return laws_.contains(v.id); }
  /// What a law value means. Throws NoReading of one that nobody reads as the law of a variable.
  const LawReading& law(Value v) const;
  /// Whether it is a free law of that variable.
  bool is_law_of(Value law, Variable v) const;
  /// A noise, or what was made from one and handed on: equally likely values.
  bool is_draw(Value v) const;
  const LawDigits& digits(Value v) const { return digits_[static_cast<std::size_t>(v.id)]; }
  /// A joined version as the values of its members.
  std::vector<std::pair<Variable, int>> split(Variable v, int value) const;

 private:
  void size_variables();
  void size_values();
  int size_of_variable(const VariableInfo& v) const;
  int size_of_output(const OperationInfo& o, Value v) const;
  int size_of_law(const OperationInfo& o, Value v) const;
  LawDigits digits_of(const OperationInfo& o, Value v) const;
  void merge_registers();
  void equate_exchanged();

  const KernelGraph& graph_;
  Sizes sizes_;
  std::map<std::int32_t, LawReading> laws_;
  std::vector<int> variables_;
  std::vector<int> values_;
  std::vector<LawDigits> digits_;         ///< by value
  std::vector<std::uint64_t> functions_;  ///< by operation
  std::vector<EdgeRoles> edges_;          ///< by operation
};

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
