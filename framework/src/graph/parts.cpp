// Parts (slots that hold some coordinates of a position), joined variables (several slots that an
// update moves together) and trials (copies of slots for the stages of a proposal).
// SPDX-License-Identifier: Apache-2.0
#include "graph/edges.hpp"
#include "graph/row_runs.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/graph/graph.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace mixwell {
namespace {

/// Rows of `whole` (ascending) that hold the members of `part`.
std::vector<Index> places(const std::vector<Index>& part, const std::vector<Index>& whole) {
  std::vector<Index> found;
  for (const Index c : part) {
    found.push_back(std::lower_bound(whole.begin(), whole.end(), c) - whole.begin());
  }
  return found;
}

std::vector<RowRuns> rows_of_parts(const KernelGraph& graph, Variable joined) {
  std::vector<RowRuns> rows;
  for (const Variable part : graph[joined].parts) {
    rows.emplace_back(places(graph[part].coordinates, graph[joined].coordinates));
  }
  return rows;
}

/// Inputs: the parts. Output: the joined variable.
class GatherBody final : public Body {
 public:
  explicit GatherBody(std::vector<RowRuns> rows) : rows_(std::move(rows)) {}
  void run(ColumnBlock& block) const override {
    for (std::size_t k = 0; k < rows_.size(); ++k) rows_[k].put(block.in(k), block.out(0));
  }

 private:
  std::vector<RowRuns> rows_;
};

/// Input: the slot. Output: its copy.
class TrialBody final : public Body {
 public:
  void run(ColumnBlock& block) const override { flat(block.out(0)) = flat(block.in(0)); }
};

/// Input: the joined variable. Outputs: the parts.
class ScatterBody final : public Body {
 public:
  explicit ScatterBody(std::vector<RowRuns> rows) : rows_(std::move(rows)) {}
  void run(ColumnBlock& block) const override {
    for (std::size_t k = 0; k < rows_.size(); ++k) rows_[k].take(block.in(0), block.out(k));
  }

 private:
  std::vector<RowRuns> rows_;
};

/// Regroups in every column. Where nothing moved, the copies keep their numbers. Each regrouping of
/// a variable is an operation with its own name.
void regroup(KernelGraph& graph, const char* what, Variable of, std::vector<Input> inputs,
             std::vector<Output> outputs, std::shared_ptr<const Body> body) {
  const Guard branch = graph.set_guard();
  graph.add(fmt::format("{} {}", what, graph[graph.current(of)].name), OperationKind::regroup, {},
            std::move(inputs), std::move(outputs), std::move(body));
  graph.set_guard(branch);
}

}  // namespace

Variable KernelGraph::part(std::string name, std::string position, std::vector<Index> coordinates,
                           bool fixed) {
  if (coordinates.empty() || !std::is_sorted(coordinates.begin(), coordinates.end())) {
    throw InputError(
        fmt::format("kernel graph: slot `{}` of position `{}` must have at least one coordinate, "
                    "and its coordinates must be in ascending order.",
                    name, position));
  }
  for (const Variable other : slots_of(*this, position)) {
    for (const Index c : coordinates) {
      const auto& taken = variables_.at(other.id).coordinates;
      if (!taken.empty() && !std::binary_search(taken.begin(), taken.end(), c)) continue;
      throw InputError(
          fmt::format("kernel graph: the slots `{}` and `{}` both hold coordinate {} of `{}`. Give "
                      "each coordinate to one slot.",
                      variables_.at(other.id).name, name, c, position));
    }
  }
  const Variable added = slot(std::move(name), std::ssize(coordinates));
  VariableInfo& info = variables_.at(added.id);
  info.position = std::move(position);
  info.coordinates = std::move(coordinates);
  info.fixed = fixed;
  return added;
}

Variable KernelGraph::joined(std::string name, std::vector<Variable> parts) {
  VariableInfo info;
  info.name = std::move(name);
  info.kind = VariableKind::joined;
  for (const Variable part : parts) {
    const VariableInfo& of = variables_.at(part.id);
    info.position = of.position;
    info.coordinates.insert(info.coordinates.end(), of.coordinates.begin(), of.coordinates.end());
  }
  std::sort(info.coordinates.begin(), info.coordinates.end());
  info.rows = std::ssize(info.coordinates);
  info.initial = Eigen::VectorXd::Zero(info.rows);
  info.parts = std::move(parts);
  return add_variable(std::move(info));
}

void KernelGraph::gather(Variable joined) {
  std::vector<Input> inputs;
  for (const Variable part : variables_.at(joined.id).parts)
    inputs.push_back({current(part), Role::state});
  regroup(*this, "gather", joined, std::move(inputs), {Output::next(joined)},
          std::make_shared<GatherBody>(rows_of_parts(*this, joined)));
}

void KernelGraph::scatter(Variable joined) {
  std::vector<Output> outputs;
  for (const Variable part : variables_.at(joined.id).parts) outputs.push_back(Output::next(part));
  regroup(*this, "scatter", joined, {{current(joined), Role::state}}, std::move(outputs),
          std::make_shared<ScatterBody>(rows_of_parts(*this, joined)));
}

Variable KernelGraph::trial(std::string name, Variable slot) {
  VariableInfo info = variables_.at(slot.id);
  info.name = std::move(name);
  info.kind = VariableKind::trial;
  info.fixed = false;
  info.parts = {slot};
  return add_variable(std::move(info));
}

void KernelGraph::begin_trial(Variable trial) {
  const Variable slot = variables_.at(trial.id).parts.front();
  regroup(*this, "copy to", trial, {{current(slot), Role::state}}, {Output::next(trial)},
          std::make_shared<TrialBody>());
}

std::vector<Index> held_coordinates(const VariableInfo& slot) {
  std::vector<Index> held = slot.coordinates;
  if (!held.empty()) return held;
  held.resize(static_cast<std::size_t>(slot.rows));
  std::iota(held.begin(), held.end(), Index{0});
  return held;
}

std::vector<Variable> slots_of(const KernelGraph& graph, const std::string& position) {
  std::vector<Variable> found;
  for (const Variable v : all_variables(graph)) {
    if (graph[v].kind == VariableKind::slot && graph[v].position == position) found.push_back(v);
  }
  return found;
}

std::vector<std::string> positions(const KernelGraph& graph) {
  std::vector<std::string> found;
  for (const VariableInfo& v : graph.variables()) {
    if (v.kind == VariableKind::slot && !contains(found, v.position)) found.push_back(v.position);
  }
  return found;
}

}  // namespace mixwell
