// Finds cached gradients that no operation reads.
// SPDX-License-Identifier: Apache-2.0
#include "sampler/plan.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace mixwell {
namespace {

class GradientReaders {
 public:
  explicit GradientReaders(const KernelGraph& graph)
      : graph_(graph), read_(graph.values().size(), false) {
    find_gradients();
    for (const OperationInfo& operation : graph.operations()) {
      for (const Input& input : operation.inputs) {
        if (!input.carried) mark(input.value);
      }
    }
    for (const Record& record : graph.records()) mark(record.value);
    while (spread()) continue;
  }

  std::vector<bool> unread() const {
    std::vector<bool> found(read_.size(), false);
    for (const auto& [chain, gradients] : chains_) {
      for (const Value g : gradients) found[index(g)] = !read_[index(g)];
    }
    return found;
  }

 private:
  static std::size_t index(Value v) { return static_cast<std::size_t>(v.id); }
  void mark(Value v) { read_[index(v)] = true; }

  /// Finds the gradients: the second of the two evaluations that an operation writes for one law
  /// and position.
  void find_gradients() {
    for (const OperationInfo& operation : graph_.operations()) {
      std::map<std::pair<std::int32_t, std::int32_t>, int> seen;
      for (const Value v : operation.outputs) {
        const ValueInfo& value = graph_[v];
        if (!value.evaluated_law) continue;
        if (++seen[{value.evaluated_law.id, value.evaluated_at.id}] < 2) continue;
        if (!value.carried) mark(v);  // the operation that writes it needs its memory
        chains_[chain_of(value)].push_back(v);
      }
    }
  }

  /// Evaluations of a law along the versions of a slot may share memory, so all of them have
  /// memory, or none has. An evaluation at any other value is a separate chain.
  std::pair<std::int32_t, std::int32_t> chain_of(const ValueInfo& value) const {
    const ValueInfo& at = graph_[value.evaluated_at];
    const bool version = at.kind == ValueKind::version;
    return {value.evaluated_law.id, version ? at.variable.id : -1 - value.evaluated_at.id};
  }

  /// One round: marks along chains, and from the outputs of an operation to its carried inputs.
  bool spread() {
    const std::vector<bool> before = read_;
    for (const auto& [chain, gradients] : chains_) {
      const bool any =
          std::any_of(gradients.begin(), gradients.end(), [&](Value g) { return read_[index(g)]; });
      for (const Value g : gradients) read_[index(g)] = any;
    }
    for (const OperationInfo& operation : graph_.operations()) {
      const bool wanted =
          std::any_of(operation.outputs.begin(), operation.outputs.end(),
                      [&](Value v) { return graph_[v].carried && read_[index(v)]; });
      for (const Input& input : operation.inputs) {
        if (wanted && input.carried) mark(input.value);
      }
    }
    return read_ != before;
  }

  const KernelGraph& graph_;
  std::vector<bool> read_;
  std::map<std::pair<std::int32_t, std::int32_t>, std::vector<Value>> chains_;  ///< law, slot
};

}  // namespace

std::vector<bool> unread_gradients(const KernelGraph& graph) {
  return GradientReaders(graph).unread();
}

}  // namespace mixwell
