// Mutant of a kernel: it remembers something that it does not declare as state.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

#include <atomic>

namespace wrong {

using namespace mixwell;

/// theta' = z, or -z in every second call.
class Alternate final : public Body {
 public:
  void run(ColumnBlock& block) const override {
    MatrixMap next = block.out(0);
    block.normals(1, next);
    if (calls_++ % 2 == 1) next = -next;
  }

 private:
  mutable std::atomic<int> calls_ = 0;
};

class WrongState final : public Kernel {
 public:
  struct Params {
    void declare(Fields&) {}
  };
  explicit WrongState(const Params&) {}

  void describe(KernelGraph& graph, const Site& site) const override {
    Traits traits;
    traits.invariant = true;
    const Value noise = graph.noise(site.path + "/noise");
    graph.add(
        site.path + "/alternate", OperationKind::move, traits,
        {{graph.current(site.slot), Role::state}, {noise, Role::noise}, {site.target, Role::law}},
        {Output::next(site.slot)}, std::make_shared<Alternate>());
  }
};

}  // namespace wrong

MIXWELL_PLUGIN(registrar) {
  registrar.add<wrong::WrongState>(
      {.id = "wrong-state", .summary = "normal draws, every second one turned round"});
}
