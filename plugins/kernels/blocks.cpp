// Updates parts of a position, as one transition of the whole position.
// SPDX-License-Identifier: Apache-2.0
#include "../compositors/blocks/updates.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <iterator>
#include <memory>
#include <vector>

namespace {

using namespace mixwell;

class Blocks final : public BlockwiseKernel {
 public:
  using Params = blocks::Params;

  explicit Blocks(const Params& params) : updates_(params) {}

  std::vector<PositionBlock> blocks() const override { return updates_.blocks(); }

  void describe(KernelGraph& graph, const Site& site) const override {
    require_slots(graph, site);
    const bool is_joined = !graph[site.slot].parts.empty();
    blocks::Owner owner{"kernel." + name(), site,
                        is_joined ? graph[site.slot].parts : std::vector<Variable>{site.slot}};
    if (site.fit_to != FitTo::memory) owner.site.memory = {};
    if (is_joined) graph.scatter(site.slot);
    updates_.describe(graph, owner);
    if (is_joined) graph.gather(site.slot);
  }

 private:
  /// Checks that every block is a union of the site's slots.
  void require_slots(const KernelGraph& graph, const Site& site) const {
    const VariableInfo& slot = graph[site.slot];
    if (slot.rows != updates_.model()->dimension()) {
      throw InputError("kernel `" + name() + "` moves blocks of model `" +
                       updates_.model()->name() + "`, but `" + slot.name +
                       "` is not a position of that model. Set the kernel's key `model` to the "
                       "model that the compositor samples.");
    }
    const auto& blocks = updates_.blocks();
    const bool is_whole = std::all_of(
        blocks.begin(), blocks.end(),
        [&](const PositionBlock& block) { return std::ssize(block.coordinates) == slot.rows; });
    if (is_whole || !slot.parts.empty()) return;
    throw InputError(
        "kernel `" + name() +
        "` moves parts of a position, but here the whole position is one slot. Use compositor "
        "`chain`, `cycle`, `mixture`, `ensemble-chain` or `tempering`, because these divide the "
        "position into slots for this kernel. Instead of `lagged` with memory = \"cross\", use "
        "`ensemble-chain`, which provides the same memory.");
  }

  blocks::Updates updates_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<Blocks>(
      {.id = "blocks",
       .summary = "Kernels on parts of a model, combined into one kernel; each part is updated "
                  "given the others",
       .details = blocks::details +
                  "\nUse this kernel inside `cycle`, `mixture`, `ensemble-chain` and `tempering`. "
                  "In compositor `chain` it is the same as compositor `blocks`.",
       .sources = {"Geman & Geman 1984, IEEE Trans. PAMI 6", "Tierney 1994, Ann. Stat. 22"}});
}
