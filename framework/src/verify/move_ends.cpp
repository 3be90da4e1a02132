// What a move replaces, and which of its outputs belongs to which of its states.
// SPDX-License-Identifier: Apache-2.0
#include "verify/move_ends.hpp"

#include "graph/edges.hpp"
#include "verify/operation_check.hpp"

#include <algorithm>
#include <utility>

namespace mixwell {
namespace {

/// The state that an accept gives up for the value: the one before it among its inputs.
std::optional<Value> given_up_for(const OperationInfo& accept, const KernelGraph& graph, Value v) {
  std::vector<Value> states;
  std::vector<Value> proposed;
  for (const Input& input : accept.inputs) {
    if (input.role == Role::state) states.push_back(input.value);
    if (input.role == Role::proposed) proposed.push_back(seen(graph, input.value));
  }
  const auto at = std::find(proposed.begin(), proposed.end(), v);
  if (at == proposed.end() || states.size() != proposed.size()) return std::nullopt;
  return states[static_cast<std::size_t>(at - proposed.begin())];
}

std::optional<Variable> own_or_given_up(const KernelGraph& graph, Value v) {
  if (graph[v].kind == ValueKind::version) return graph[v].variable;
  for (const OperationInfo& o : graph.operations()) {
    if (o.kind != OperationKind::accept) continue;
    const auto state = given_up_for(o, graph, v);
    if (state && graph[*state].kind == ValueKind::version) return graph[*state].variable;
  }
  return std::nullopt;
}

/// Statistics and evaluations that a move writes belong to no state.
bool may_replace(const KernelGraph& graph, Value output) { return !graph[output].evaluated_law; }

class Pairing {
 public:
  explicit Pairing(const Replay& replay)
      : replay_(replay),
        graph_(replay.graph()),
        states_(inputs_of(replay, Role::state)),
        taken_(replay.operation().outputs.size(), false) {}

  std::optional<MoveEnds> made() {
    for (const std::size_t state : states_) pair_by_variable(state);
    for (const std::size_t state : states_) {
      if (!is_paired(state) && !pair_by_order(state)) return std::nullopt;
    }
    if (ends_.all.empty()) return std::nullopt;
    std::sort(ends_.all.begin(), ends_.all.end(),
              [](const MoveEnd& a, const MoveEnd& b) { return a.input < b.input; });
    return std::move(ends_);
  }

 private:
  Value input(std::size_t k) const { return replay_.operation().inputs[k].value; }
  Value output(std::size_t k) const { return replay_.operation().outputs[k]; }

  bool fits(std::size_t state, std::size_t out) const {
    return !taken_[out] && may_replace(graph_, output(out)) &&
           graph_[input(state)].rows == graph_[output(out)].rows;
  }

  bool is_paired(std::size_t state) const {
    return std::any_of(ends_.all.begin(), ends_.all.end(),
                       [&](const MoveEnd& e) { return e.input == state; });
  }

  void pair(std::size_t state, std::size_t out) {
    taken_[out] = true;
    const auto variable = variable_behind(graph_, input(state));
    const bool is_auxiliary = variable && graph_[*variable].kind == VariableKind::auxiliary;
    const bool turns =
        variable && flips_momentum(replay_.operation().traits) && is_turned(graph_, *variable);
    ends_.all.push_back({state, out, space_of(graph_, input(state)), is_auxiliary, turns});
  }

  void pair_by_variable(std::size_t state) {
    const auto variable = variable_behind(graph_, input(state));
    for (std::size_t k = 0; variable && k < taken_.size(); ++k) {
      if (!fits(state, k) || own_or_given_up(graph_, output(k)) != variable) continue;
      return pair(state, k);
    }
  }

  bool pair_by_order(std::size_t state) {
    std::vector<std::size_t> fitting;
    for (std::size_t k = 0; k < taken_.size(); ++k) {
      if (fits(state, k) && !own_or_given_up(graph_, output(k))) fitting.push_back(k);
    }
    if (fitting.empty()) return false;
    const auto rivals = std::count_if(states_.begin(), states_.end(), [&](std::size_t other) {
      return other != state && !is_paired(other) &&
             graph_[input(other)].rows == graph_[input(state)].rows;
    });
    if (rivals > 0 || fitting.size() > 1) ends_.are_certain = false;
    pair(state, fitting.front());
    return true;
  }

  const Replay& replay_;
  const KernelGraph& graph_;
  std::vector<std::size_t> states_;
  std::vector<bool> taken_;  ///< by output
  MoveEnds ends_;
};

}  // namespace

std::optional<Variable> variable_behind(const KernelGraph& graph, Value v) {
  v = seen(graph, v);
  if (const auto variable = own_or_given_up(graph, v)) return variable;
  const OperationInfo* const by = maker(graph, v);
  if (by == nullptr || by->kind != OperationKind::move) return std::nullopt;
  const std::vector<std::size_t> states = inputs_of(*by, Role::state);
  const auto at = static_cast<std::size_t>(std::find(by->outputs.begin(), by->outputs.end(), v) -
                                           by->outputs.begin());
  if (at >= states.size()) return std::nullopt;
  return variable_behind(graph, by->inputs[states[at]].value);
}

Space space_of(const KernelGraph& graph, Value v) {
  const auto variable = variable_behind(graph, v);
  const bool says = variable && graph[*variable].kind == VariableKind::auxiliary;
  return says ? graph[*variable].traits.space : Space::real;
}

std::optional<MoveEnds> ends_of(const Replay& replay) { return Pairing(replay).made(); }

}  // namespace mixwell
