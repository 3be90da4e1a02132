// Markov transitions, and what builds larger ones from them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/component.hpp>
#include <mixwell/estimator.hpp>
#include <mixwell/graph.hpp>
#include <mixwell/model.hpp>

#include <memory>
#include <string>
#include <vector>

namespace mixwell {

/// Which program is being built. In `sampling` nothing is learnt any more.
enum class PhaseKind { warmup, sampling };

/// The points and gradients that an update of a slot may see, as values of the graph.
struct MemoryValues {
  std::vector<Value> points;
  std::vector<Value> gradients;
};

/// The place of a kernel in a composition.
struct Site {
  std::string path;  ///< prefix of all names the kernel adds
  Variable slot;     ///< what it updates
  Index number = 0;  ///< of that slot among the recorded ones: `slot(chain)`
  Value target;      ///< factor of the slot: constant whose function is a Potential
  MemoryValues memory;
  PhaseKind phase = PhaseKind::sampling;
};

/// A transition of one slot. It emits its operations into the graph, either in the fine grain of
/// refresh, move and accept, from which the certificate is derived, or as one opaque `move` whose
/// declared traits are all there is to go by.
class MIXWELL_EXPORT Kernel : public Component {
 public:
  static constexpr Kind kind = Kind::kernel;
  ~Kernel() override;

  virtual void describe(KernelGraph& graph, const Site& site) const = 0;
};

/// Adds slots, memories, updates and records to the graph of one phase. Called once per phase with
/// an empty graph; variables of the same name are the same state.
class MIXWELL_EXPORT Compositor : public Component {
 public:
  static constexpr Kind kind = Kind::compositor;
  ~Compositor() override;

  virtual void compose(KernelGraph& graph, PhaseKind phase) const = 0;
  /// The model whose parameters the recorded slots hold.
  virtual const Model& model() const noexcept = 0;
  /// Names of the recorded slots, in the order of `slot(chain)`.
  virtual std::vector<std::string> slots() const = 0;
};

/// The constant value of a model's own law exp(-U).
MIXWELL_EXPORT Value target_law(KernelGraph& graph, std::string name,
                                std::shared_ptr<const Model> model);

/// The curvature of an estimator on a memory: a constant, or a pure fit.
MIXWELL_EXPORT Value fitted_curvature(KernelGraph& graph, const std::string& path,
                                      std::shared_ptr<const Estimator> estimator, Index dimension,
                                      const MemoryValues& memory);

/// Records a slot's position (through the model's transforms), derived quantities and lp = -U.
MIXWELL_EXPORT void record_slot(KernelGraph& graph, Variable slot, Index number,
                                std::shared_ptr<const Model> model, Value law);

}  // namespace mixwell
