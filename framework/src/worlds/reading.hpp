// A kernel graph on finite sets: the sizes of these sets, and the operations that share a table.
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

/// Thrown if a graph has no finite reading. The message is a clause that says why.
class MIXWELL_INTERNAL NoReading : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// How many values each kind of variable or value has in a finite world.
struct Sizes {
  int place = 3;     ///< number of values of a slot
  int momentum = 3;  ///< number of values of an auxiliary
  int draws = 3;   ///< number of values of a noise, and of the draw from which an estimate is made
  int memory = 2;  ///< number of values of a history
  int number = 2;  ///< number of values of a derived number
  int most = 128;  ///< the limit for each of these numbers; a graph that needs more has no reading
};

/// The limit on the number of states that have weight at one time.
inline constexpr std::size_t most_states = 200'000;

/// How the weights of a law are made.
enum class LawKind {
  factor,  ///< a table of its factor's slots
  same,  ///< the weights of the law from which it was made: the new law is conditional, or only its
         ///< gradient differs
  marginal,  ///< the weights of the law from which it was made, summed over the slots that have no
             ///< place
  estimate,  ///< one term of its factor, which is a sum; the number of the law says which term
  free       ///< a separate table for every number of the law
};

struct LawReading {
  LawKind kind = LawKind::free;
  Value before;             ///< the law from which this law was made
  Value factor;             ///< the constant law of a factor from which this law was made
  std::uint64_t table = 0;  ///< the number of the table; laws with the same number share a table
  std::vector<Variable> arguments;  ///< of a free law: the slots or auxiliaries on which it depends
  bool symmetric = false;  ///< of a free law: whether it is symmetric under the flip of a momentum
  bool estimated = false;  ///< of a factor: whether it is known only by an estimate
  std::string unread{};    ///< why the law has no meaning; empty if it has one
};
/// The reading of every law of a graph, by the id of the law.
std::map<std::int32_t, LawReading> read_laws(const KernelGraph& graph);

/// The number of a law as digits, lowest first: the inputs of the operation that makes the law.
/// Views and laws without numbers have no digits.
struct LawDigits {
  std::vector<std::size_t> inputs;
  std::vector<Value> values;
  Radix radix;
};

/// Inputs and outputs of an operation, grouped by their role.
struct EdgeRoles {
  std::vector<std::size_t> states, proposed, laws, at_proposal, stage_laws, parameters;
  std::vector<std::size_t> fresh;  ///< noises
  std::vector<std::size_t>
      handed;  ///< draws that are read as noise and were handed on by another operation
  std::vector<std::size_t> moved;  ///< the outputs that replace the first states
  std::vector<Variable> of;        ///< the variable of each state
};

/// A graph with a finite set for every value. Only roles, traits, versions and sharing say what an
/// operation may do with these sets. Throws NoReading if some value needs more than Sizes::most.
/// Keeps a reference to the graph.
class MIXWELL_INTERNAL FiniteReading {
 public:
  FiniteReading(const KernelGraph& graph, const Sizes& sizes);

  const KernelGraph& graph() const { return graph_; }
  const Sizes& sizes() const { return sizes_; }
  int size(Variable v) const { return variables_[static_cast<std::size_t>(v.id)]; }
  /// The number of values. With 1, the value is always the same and needs no bits.
  int size(Value v) const { return values_[static_cast<std::size_t>(v.id)]; }
  const EdgeRoles& edges(std::size_t operation) const { return edges_[operation]; }
  /// The number of the function of an operation. Operations have the same number if they share a
  /// body or if their kernel was described twice.
  std::uint64_t function_of(std::size_t operation) const { return functions_[operation]; }
  bool is_law(Value v) const { return laws_.contains(v.id); }
  /// The meaning of a law value. Throws NoReading if no operation reads the value as the law of a
  /// variable.
  const LawReading& law(Value v) const;
  /// Whether `law` is a free law of the variable.
  bool is_law_of(Value law, Variable v) const;
  /// Whether a value is a noise, or a noise that an operation handed on, so all its values are
  /// equally likely.
  bool is_draw(Value v) const;
  const LawDigits& digits(Value v) const { return digits_[static_cast<std::size_t>(v.id)]; }
  /// The value of a joint variable, split into the values of its members.
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

/// The values of slots and auxiliaries by variable id; -1 if unknown.
using SlotPlaces = std::vector<int>;

/// Weights of laws in one world. Factors have weights from 1 to 5. The weights of a free law of n
/// values sum to 3 n for every number, as a ratio of two densities requires.
class MIXWELL_INTERNAL FiniteLaws {
 public:
  FiniteLaws(const FiniteReading& reading, std::uint64_t seed) : reading_(reading), seed_(seed) {}

  SlotPlaces nowhere() const { return SlotPlaces(reading_.graph().variables().size(), -1); }
  SlotPlaces only(Variable v, int value) const;
  /// Sets the value of a variable, or the values of the members of a joint variable.
  void place(SlotPlaces& where, Variable v, int value) const;

  /// The weight of a law value that has this number, at the given places. Throws NoReading if the
  /// place of a slot is missing.
  std::uint64_t weight(Value law, int number, const SlotPlaces& where) const;
  /// Whether all arguments of the law have places in `where`. An opaque kernel ignores a law if
  /// they do not.
  bool concerns(Value law, const SlotPlaces& where) const;
  std::uint64_t target(const Factor& factor, const SlotPlaces& where) const;
  /// The product of all factors whose slots have places.
  std::uint64_t target(const SlotPlaces& where) const;
  /// The term of an estimated factor from which the estimate is made. The factor is the sum of its
  /// terms.
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
