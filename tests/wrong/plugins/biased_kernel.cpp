// A sound plugin whose kernel says of itself that it is biased: it moves by noise alone.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

namespace wrong {

using namespace mixwell;

/// theta' = theta + z.
class Wander final : public Body {
 public:
  void run(ColumnBlock& block) const override {
    MatrixMap next = block.out(0);
    block.normals(1, next);
    next += block.in(0);
  }
};

class BiasedKernel final : public Kernel {
 public:
  struct Params {
    void declare(Fields&) {}
  };
  explicit BiasedKernel(const Params&) {}

  void describe(KernelGraph& graph, const Site& site) const override {
    Traits traits;
    traits.invariant = false;
    const Value noise = graph.noise(site.path + "/noise");
    graph.add(
        site.path + "/wander", OperationKind::move, traits,
        {{graph.current(site.slot), Role::state}, {noise, Role::noise}, {site.target, Role::law}},
        {Output::next(site.slot)}, std::make_shared<Wander>());
  }
};

}  // namespace wrong

MIXWELL_PLUGIN(registrar) {
  registrar.add<wrong::BiasedKernel>(
      {.id = "biased", .summary = "adds noise and calls it sampling"});
}
