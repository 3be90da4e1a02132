// Updates of parts of a position as one transition of it.
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
    blocks::Place place{"kernel." + name(), site,
                        is_joined ? graph[site.slot].parts : std::vector<Variable>{site.slot}};
    if (site.fit_to != FitTo::memory) place.site.memory = {};
    if (is_joined) graph.scatter(site.slot);
    updates_.describe(graph, place);
    if (is_joined) graph.gather(site.slot);
  }

 private:
  /// Every block is a union of the site's slots.
  void require_slots(const KernelGraph& graph, const Site& site) const {
    const VariableInfo& slot = graph[site.slot];
    if (slot.rows != updates_.model()->dimension()) {
      throw InputError("kernel `" + name() + "` moves blocks of model `" +
                       updates_.model()->name() + "`, and `" + slot.name +
                       "` is no position of that model");
    }
    const auto& blocks = updates_.blocks();
    const bool is_whole = std::all_of(
        blocks.begin(), blocks.end(),
        [&](const PositionBlock& block) { return std::ssize(block.coordinates) == slot.rows; });
    if (is_whole || !slot.parts.empty()) return;
    throw InputError(
        "kernel `" + name() +
        "` moves parts of a position, and here the position is one slot; compositors "
        "`chain`, `cycle`, `mixture`, `ensemble-chain` (which lends what `lagged` does "
        "with memory = \"cross\") and `tempering` cut it for it");
  }

  blocks::Updates updates_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<Blocks>(
      {.id = "blocks",
       .summary = "kernels on parts of a model as one kernel, each given the rest",
       .details = blocks::details +
                  "\nIt is a part of `cycle`, `mixture`, `ensemble-chain` and `tempering`; by "
                  "itself, compositor `blocks` says the same.",
       .sources = {"Geman & Geman 1984, IEEE Trans. PAMI 6", "Tierney 1994, Ann. Stat. 22"}});
}
