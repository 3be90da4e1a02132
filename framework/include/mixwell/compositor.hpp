// The interface of compositors, which build a sampler from kernels: its slots, and the order of
// their updates.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/kernel.hpp>

#include <string>
#include <vector>

namespace mixwell {

/// Adds slots, memories, updates and records to the graph of one phase. Mixwell calls `compose`
/// once for each phase, with an empty graph. Variables with the same name in both graphs share
/// their state.
class MIXWELL_EXPORT Compositor : public Component {
 public:
  static constexpr Kind kind = Kind::compositor;
  ~Compositor() override;

  /// Adds everything that one sweep of this phase does.
  virtual void compose(KernelGraph& graph, PhaseKind phase) const = 0;
  /// The model whose parameters the recorded slots hold.
  virtual const Model& model() const noexcept = 0;
  /// Names of the recorded positions, in the order of `slot(chain)`. Each is a slot, or a position
  /// that several slots hold together (KernelGraph::part).
  virtual std::vector<std::string> slots() const = 0;
};

}  // namespace mixwell
