// Refuses keys that configure a memory if no kernel uses the memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "parts.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace mixwell::provided_memory {

/// Whether a move, a draw or a decision reads the values, directly or through other operations.
/// Only operation number `first` and later operations count.
inline bool is_read(const KernelGraph& graph, std::vector<Value> values, std::size_t first) {
  const auto reads = [&](const Input& input) {
    return std::find(values.begin(), values.end(), input.value) != values.end();
  };
  for (std::size_t k = first; k < graph.operations().size(); ++k) {
    const OperationInfo& operation = graph.operations()[k];
    if (std::none_of(operation.inputs.begin(), operation.inputs.end(), reads)) continue;
    if (operation.kind != OperationKind::pure) return true;
    values.insert(values.end(), operation.outputs.begin(), operation.outputs.end());
  }
  return false;
}

/// Adds the current value of a slot to the memory, with U and its gradient under `law`.
inline void see(KernelGraph& graph, Value law, Variable slot, MemoryValues& memory) {
  const Cached at = graph.evaluation(law, slot);
  memory.points.push_back(graph.current(slot));
  memory.gradients.push_back(at.g);
  memory.potentials.push_back(at.u);
}

/// Points of four other positions of the model.
inline MemoryValues memory_in(KernelGraph& graph, Value target, const Model& model) {
  MemoryValues memory;
  for (const char* const name : {"a", "b", "c", "d"}) {
    const Variable slot = graph.slot(name, model.dimension());
    graph.factor(target, {slot});
    see(graph, target, slot, memory);
  }
  return memory;
}

/// Whether an update by the kernel reads the points of a memory. The result is also true if the
/// kernel refuses this memory, because the kernel may accept the memory of another ensemble.
inline bool reads_memory(const std::shared_ptr<const Kernel>& kernel,
                         const std::shared_ptr<const Model>& model, PhaseKind phase) try {
  KernelGraph graph;
  const parts::Shared own = parts::add_position(graph, model, {kernel});
  Site site = parts::site(own, kernel->name(), phase);
  site.label.clear();
  site.memory = memory_in(graph, site.target, *model);
  std::vector<Value> lent = site.memory.points;
  lent.insert(lent.end(), site.memory.gradients.begin(), site.memory.gradients.end());
  const std::size_t first = graph.operations().size();
  kernel->describe(graph, site);
  return is_read(graph, lent, first);
} catch (const InputError&) {
  return true;
}

/// Throws ParameterError for a key that configures the memory if no kernel uses the memory.
inline void require_reader(const std::string& key,
                           const std::vector<std::shared_ptr<const Kernel>>& kernels,
                           const std::shared_ptr<const Model>& model, PhaseKind phase) {
  if (std::any_of(kernels.begin(), kernels.end(),
                  [&](const auto& kernel) { return reads_memory(kernel, model, phase); }))
    return;
  throw ParameterError(
      key,
      "has no effect here, because no kernel fits a preconditioner to the memory. Use a kernel "
      "that does this, for example one with estimator lbfgs, or leave this key out.");
}

}  // namespace mixwell::provided_memory
