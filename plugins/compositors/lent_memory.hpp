// Keys about a memory are refused where no kernel reads one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "parts.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace mixwell::lent_memory {

/// Whether a move, a draw or a decision among operations `first` and later depends on the values.
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

/// Adds the place where a slot is now, with U and its gradient by `law`.
inline void see(KernelGraph& graph, Value law, Variable slot, MemoryValues& memory) {
  const Cached at = graph.evaluation(law, slot);
  memory.points.push_back(graph.current(slot));
  memory.gradients.push_back(at.g);
  memory.potentials.push_back(at.u);
}

/// Points of other positions of the model.
inline MemoryValues memory_in(KernelGraph& graph, Value target, const Model& model) {
  MemoryValues memory;
  for (const char* const name : {"a", "b", "c", "d"}) {
    const Variable slot = graph.slot(name, model.dimension());
    graph.factor(target, {slot});
    see(graph, target, slot, memory);
  }
  return memory;
}

/// Whether an update by the kernel reads the points of a memory. One that is refused beside that of
/// an ensemble may read another.
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

/// Throws ParameterError of a key about the memory where none of the kernels reads it.
inline void require_reader(const std::string& key,
                           const std::vector<std::shared_ptr<const Kernel>>& kernels,
                           const std::shared_ptr<const Model>& model, PhaseKind phase) {
  if (std::any_of(kernels.begin(), kernels.end(),
                  [&](const auto& kernel) { return reads_memory(kernel, model, phase); }))
    return;
  throw ParameterError(key,
                       "has no effect here. It goes with a kernel that is fitted to a memory, as "
                       "with estimator lbfgs: set that, or leave this key out");
}

}  // namespace mixwell::lent_memory
