// The interface of compositors. A compositor builds a sampler: its slots and their updates.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/kernel.hpp>

#include <string>
#include <vector>

namespace mixwell {

/// Adds slots, memories, updates and records to the graph of one phase. Mixwell calls `compose`
/// once for each phase, with an empty graph. Variables with the same name in the graphs of both
/// phases share their state.
class MIXWELL_EXPORT Compositor : public Component {
 public:
  static constexpr Kind kind = Kind::compositor;
  ~Compositor() override;

  /// Adds the variables and operations of one sweep of this phase.
  virtual void compose(KernelGraph& graph, PhaseKind phase) const = 0;
  /// The model whose parameters the recorded slots contain.
  virtual const Model& model() const noexcept = 0;
  /// Names of the recorded positions, in the order of `slot(chain)`. Each position is one slot, or
  /// is divided among several slots (KernelGraph::part).
  virtual std::vector<std::string> slots() const = 0;
};

}  // namespace mixwell
