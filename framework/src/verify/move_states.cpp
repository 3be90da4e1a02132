// The states that a move replaces, the outputs of the move, and perturbations of the states.
// SPDX-License-Identifier: Apache-2.0
#include "verify/move_states.hpp"

#include "graph/edges.hpp"
#include "verify/operation_check.hpp"

#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <utility>

namespace mixwell {
namespace {

/// The state that an accept replaces by v, if the accept reads v as a proposal.
std::optional<Value> given_up_for(const OperationInfo& accept, const KernelGraph& graph, Value v) {
  const std::vector<Value> states = values_of(accept, Role::state);
  const std::vector<Value> proposed = values_of(accept, Role::proposed);
  const auto at = std::ranges::find(proposed, v, [&](Value p) { return seen(graph, p); });
  if (at == proposed.end() || states.size() != proposed.size()) return std::nullopt;
  return states[static_cast<std::size_t>(at - proposed.begin())];
}

std::optional<Variable> own_or_given_up(const KernelGraph& graph, Value v) {
  if (is_version(graph, v)) return graph[v].variable;
  for (const OperationInfo& o : graph.operations()) {
    if (o.kind != OperationKind::accept) continue;
    const auto state = given_up_for(o, graph, v);
    if (state && is_version(graph, *state)) return graph[*state].variable;
  }
  return std::nullopt;
}

/// Statistics and evaluations that a move writes do not belong to a state.
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
    std::ranges::sort(ends_.all, {}, &MoveEnd::input);
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
    return std::ranges::find(ends_.all, state, &MoveEnd::input) != ends_.all.end();
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
    const bool has_rival = std::ranges::any_of(states_, [&](std::size_t other) {
      return other != state && !is_paired(other) &&
             graph_[input(other)].rows == graph_[input(state)].rows;
    });
    if (has_rival || fitting.size() > 1) ends_.are_certain = false;
    pair(state, fitting.front());
    return true;
  }

  const Replay& replay_;
  const KernelGraph& graph_;
  std::vector<std::size_t> states_;
  std::vector<bool> taken_;  ///< by output
  MoveEnds ends_;
};

Index freedom_of(const MoveEnd& end) {
  if (end.space == Space::whole_numbers) return 0;
  return end.space == Space::sphere ? end.rows - 1 : end.rows;
}

/// An orthonormal basis of the directions in which v can move (rows x freedom).
Eigen::MatrixXd basis(const MoveEnd& end, const Eigen::VectorXd& v) {
  const Eigen::MatrixXd all = Eigen::MatrixXd::Identity(end.rows, end.rows);
  if (end.space != Space::sphere) return all.leftCols(freedom_of(end));
  const Eigen::MatrixXd rotated = Eigen::HouseholderQR<Eigen::MatrixXd>(v).householderQ() * all;
  return rotated.rightCols(end.rows - 1);
}

}  // namespace

std::optional<Variable> variable_behind(const KernelGraph& graph, Value v) {
  v = seen(graph, v);
  if (const auto variable = own_or_given_up(graph, v)) return variable;
  const OperationInfo* const by = maker(graph, v);
  if (by == nullptr || by->kind != OperationKind::move) return std::nullopt;
  const std::vector<Value> states = values_of(*by, Role::state);
  const std::size_t at = place_among_outputs(graph, v);
  if (at >= states.size()) return std::nullopt;
  return variable_behind(graph, states[at]);
}

Space space_of(const KernelGraph& graph, Value v) {
  const auto variable = variable_behind(graph, v);
  const bool says = variable && graph[*variable].kind == VariableKind::auxiliary;
  return says ? graph[*variable].traits.space : Space::real;
}

std::optional<MoveEnds> ends_of(const Replay& replay) { return Pairing(replay).made(); }

Eigen::ArrayXd distance_from(Space space, ConstBatch x) {
  if (space == Space::sphere) return (x.colwise().norm().array() - 1.0).abs().transpose();
  if (space != Space::whole_numbers) return Eigen::ArrayXd::Zero(x.cols());
  return (x.array() - x.array().round()).abs().colwise().maxCoeff().transpose();
}

MoveStates::MoveStates(Replay& replay, MoveEnds ends) : replay_(replay), ends_(std::move(ends)) {
  for (MoveEnd& end : ends_.all) {
    end.first = rows_;
    end.rows = replay.input(end.input).rows();
    rows_ += end.rows;
  }
}

Eigen::MatrixXd MoveStates::start() {
  Eigen::MatrixXd all(rows_, replay_.columns());
  for (const MoveEnd& end : ends_.all)
    all.middleRows(end.first, end.rows) = replay_.input(end.input);
  return all;
}

Eigen::MatrixXd MoveStates::moved(const Eigen::MatrixXd& from, bool negate_normals) {
  for (const MoveEnd& end : ends_.all)
    replay_.input(end.input) = from.middleRows(end.first, end.rows);
  evaluate_states(replay_);
  replay_.run(replay_.sweep(), negate_normals);
  Eigen::MatrixXd all(rows_, replay_.columns());
  for (const MoveEnd& end : ends_.all)
    all.middleRows(end.first, end.rows) = replay_.output(end.output);
  return all;
}

void MoveStates::flip(Eigen::MatrixXd& all) const {
  for (const MoveEnd& end : ends_.all)
    if (end.flipped) all.middleRows(end.first, end.rows) *= -1.0;
}

Index MoveStates::freedom() const {
  Index sum = 0;
  for (const MoveEnd& end : ends_.all) sum += freedom_of(end);
  return sum;
}

Eigen::MatrixXd MoveStates::directions(const Eigen::MatrixXd& at, Index j) const {
  Eigen::MatrixXd all = Eigen::MatrixXd::Zero(rows_, freedom());
  Index next = 0;
  for (const MoveEnd& end : ends_.all) {
    all.block(end.first, next, end.rows, freedom_of(end)) =
        basis(end, at.col(j).segment(end.first, end.rows));
    next += freedom_of(end);
  }
  return all;
}

Eigen::MatrixXd MoveStates::stepped(const Eigen::MatrixXd& at, const Eigen::MatrixXd& step) const {
  Eigen::MatrixXd all = at + step;
  for (const MoveEnd& end : ends_.all) {
    auto part = all.middleRows(end.first, end.rows);
    if (end.space == Space::sphere) part.colwise().normalize();
    if (end.space == Space::whole_numbers) part = at.middleRows(end.first, end.rows);
  }
  return all;
}

Eigen::ArrayXd MoveStates::distance_from_space(const Eigen::MatrixXd& at) const {
  Eigen::ArrayXd farthest = Eigen::ArrayXd::Zero(at.cols());
  for (const MoveEnd& end : ends_.all)
    farthest = farthest.max(distance_from(end.space, at.middleRows(end.first, end.rows)));
  return farthest;
}

}  // namespace mixwell
