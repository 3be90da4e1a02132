// Compositor `blocks`: several kernels that each update some parameters given the others.
// SPDX-License-Identifier: Apache-2.0
#include "blocks/updates.hpp"

#include <mixwell/plugin.hpp>

namespace {

using namespace mixwell;

const std::string position_name = "theta";

class Blocks final : public Compositor {
 public:
  using Params = blocks::Params;

  explicit Blocks(const Params& params) : updates_(params) {}

  void compose(KernelGraph& graph, PhaseKind phase) const override {
    const Value target = target_law(graph, model().name(), updates_.model());
    const blocks::Owner owner{"compositor." + name(),
                              {.path = {}, .slot = {}, .target = target, .phase = phase},
                              add_slots(graph, position_name, updates_.blocks())};
    graph.factor(target, owner.slots);
    const Value u = updates_.describe(graph, owner);
    record_position(graph, position_name, 0, updates_.model(), target, u);
  }
  const Model& model() const noexcept override { return *updates_.model(); }
  std::vector<std::string> slots() const override { return {position_name}; }

 private:
  blocks::Updates updates_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<Blocks>(
      {.id = "blocks",
       .summary =
           "Kernels that update parts of a model one after another, each part given the others",
       .details = blocks::details + "\nKernel `blocks` makes the same updates inside ensembles, "
                                    "tempering, cycles and mixtures.",
       .sources = {"Geman & Geman 1984, IEEE Trans. PAMI 6", "Tierney 1994, Ann. Stat. 22"}});
}
