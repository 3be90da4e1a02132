// A kernel graph read on finite sets: how many values everything has, which tables are the same.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "worlds/wiring.hpp"

#include <mixwell/graph.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace mixwell::worlds {

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
  std::uint64_t table = 0;          ///< laws of the same number have the same table
  std::vector<Variable> arguments;  ///< of a free one: slots or auxiliaries
  bool symmetric = false;           ///< of a free one: under the flip of a momentum
  bool estimated = false;           ///< of a factor: known by an estimate alone
};

/// A graph as it is, with a finite set for every value. Sets, not numbers: only roles, traits,
/// versions and sharing say what an operation may do with them. Throws NoReading where some value
/// needs more than Sizes::most. Keeps a reference to the graph.
class FiniteReading {
 public:
  FiniteReading(const KernelGraph& graph, const Sizes& sizes);

  const KernelGraph& graph() const { return graph_; }
  const Sizes& sizes() const { return sizes_; }
  int size(Variable v) const { return variables_.at(static_cast<std::size_t>(v.id)); }
  /// 1: always the same, nothing to keep.
  int size(Value v) const { return values_.at(static_cast<std::size_t>(v.id)); }
  /// Operations that compute the same function have the same number: they share a body, or their
  /// kernel was described twice.
  std::uint64_t function_of(std::size_t operation) const { return functions_.at(operation); }
  /// What a law value means. Throws NoReading of one that nobody reads as the law of a variable.
  const LawReading& law(Value v) const;
  /// Whether it is a free law of that variable.
  bool is_law_of(Value law, Variable v) const;
  /// A noise, or what was made from one and handed on: equally likely values.
  bool is_draw(Value v) const;
  /// The number of a law as digits: which inputs of its operation they are, the lowest first. Of a
  /// digest, and of laws without numbers, none.
  std::vector<Value> digits(Value law) const;
  /// A joined version as the values of its members.
  std::vector<std::pair<Variable, int>> split(Variable v, int value) const;

 private:
  void size_variables();
  void size_values();
  int size_of_variable(const VariableInfo& v) const;
  int size_of_output(const OperationInfo& o, Value v) const;
  int size_of_law(const OperationInfo& o, Value v) const;
  int branches(Value choice) const;
  bool is_kept_value(Variable v) const;
  void merge_registers();
  void equate_exchanged();
  void number_functions();
  void read_laws();
  LawReading read_law(Value v) const;
  LawKind kind_of(Value v, Value before) const;
  bool is_given(Value input, Value factor) const;
  std::uint64_t table_of(Value v) const;
  std::vector<Variable> arguments(Value law) const;
  std::vector<Variable> slots_beside(Value law, const std::vector<Variable>& of) const;
  std::optional<Variable> subject(Value law) const;
  std::optional<Variable> subject_by_readers(Value law, bool of_slot, bool like) const;
  std::optional<Variable> subject_of_reader(const OperationInfo& o, bool of_slot) const;
  bool is_momentum(Variable v) const;
  Value first_described(Value v) const;

  const KernelGraph& graph_;
  Sizes sizes_;
  std::vector<int> variables_;
  std::vector<int> values_;
  std::vector<std::uint64_t> functions_;
  std::map<std::int32_t, LawReading> laws_;
  std::map<std::int32_t, std::string> unread_;  ///< laws that have no meaning, and why
};

}  // namespace mixwell::worlds
