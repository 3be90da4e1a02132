// Whether two stages of a proposal are the same transition.
// SPDX-License-Identifier: Apache-2.0
#include "certificate/same_stage.hpp"

#include <algorithm>

namespace mixwell {
namespace {

class SameStage {
 public:
  SameStage(const Analysis& a, const KernelDescription& one, const KernelDescription& other)
      : graph_(a.graph), one_(one), other_(other) {}

  bool compare() const {
    const std::int32_t count = one_.end_operation - one_.first_operation;
    if (one_.kernel != other_.kernel || other_.end_operation - other_.first_operation != count) {
      return false;
    }
    for (std::int32_t k = 0; k < count; ++k) {
      if (!same(operation(one_.first_operation + k), operation(other_.first_operation + k))) {
        return false;
      }
    }
    return true;
  }

 private:
  const OperationInfo& operation(std::int32_t id) const { return graph_.operations()[index(id)]; }

  /// What is learnt from a stage afterwards is no part of it: what it reads of a register is.
  bool same(const OperationInfo& a, const OperationInfo& b) const {
    if (a.kind != b.kind || a.inputs.size() != b.inputs.size()) return false;
    if (a.kind == OperationKind::observe) return true;
    if (a.traits != b.traits) return false;
    for (std::size_t k = 0; k < a.inputs.size(); ++k) {
      if (a.inputs[k].role != b.inputs[k].role) return false;
      if (!same(a.inputs[k].value, b.inputs[k].value)) return false;
    }
    return true;
  }

  static bool is_in(const KernelDescription& d, Value v) {
    return v.id >= d.first_value && v.id < d.end_value;
  }
  bool is_trial(Value v) const {
    const ValueInfo& info = graph_[v];
    return info.kind == ValueKind::version && graph_[info.variable].kind == VariableKind::trial;
  }

  bool same(Value a, Value b) const {
    if (a == b || (is_trial(a) && is_trial(b))) return true;
    const ValueInfo& x = graph_[a];
    const ValueInfo& y = graph_[b];
    if (x.evaluated_law && y.evaluated_law) {
      return same(x.evaluated_law, y.evaluated_law) && same(x.evaluated_at, y.evaluated_at);
    }
    if (!is_in(one_, a) || !is_in(other_, b)) return false;
    if (x.kind != y.kind || x.rows != y.rows || place(x, a) != place(y, b)) return false;
    return x.kind != ValueKind::version || x.producer >= 0;
  }

  /// Of what an operation wrote: which output of which. Constants and noises are those of the
  /// operations that read them, which are compared.
  std::pair<std::int32_t, std::ptrdiff_t> place(const ValueInfo& info, Value v) const {
    if (info.producer < 0) return {-1, 0};
    const auto& outputs = operation(info.producer).outputs;
    const auto first = is_in(one_, v) ? one_.first_operation : other_.first_operation;
    return {info.producer - first, std::find(outputs.begin(), outputs.end(), v) - outputs.begin()};
  }

  const KernelGraph& graph_;
  const KernelDescription& one_;
  const KernelDescription& other_;
};

const KernelDescription* description_of(const KernelGraph& graph, std::int32_t operation) {
  const auto& all = graph.descriptions();
  const auto found = std::find_if(all.begin(), all.end(), [&](const KernelDescription& d) {
    return operation >= d.first_operation && operation < d.end_operation;
  });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

bool is_same_stage(const Analysis& a, std::size_t one, std::size_t other) {
  const std::int32_t first = a.all[one].operation;
  const std::int32_t second = a.all[other].operation;
  if (first == second) return true;
  const KernelDescription* const x = description_of(a.graph, first);
  const KernelDescription* const y = description_of(a.graph, second);
  if (x == nullptr || y == nullptr || x == y) return false;
  return first - x->first_operation == second - y->first_operation &&
         SameStage(a, *x, *y).compare();
}

}  // namespace mixwell
