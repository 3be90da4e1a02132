// A kernel whose body writes one number after the columns of its block.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

namespace {

using namespace mixwell;

/// theta' = theta + z.
class CarelessStep final : public Body {
 public:
  explicit CarelessStep(bool oversteps) : oversteps_(oversteps) {}

  void run(ColumnBlock& block) const override {
    MatrixMap next = block.out(0);
    block.normals(1, next);
    next += block.in(0);
    if (oversteps_) next.data()[next.size()] = 0.5;
  }

 private:
  bool oversteps_;
};

class CarelessKernel final : public Kernel {
 public:
  struct Params {
    bool oversteps = true;

    void declare(Fields& fields) { fields.flag("oversteps", oversteps); }
  };
  explicit CarelessKernel(const Params& params) : oversteps_(params.oversteps) {}

  void describe(KernelGraph& graph, const Site& site) const override {
    Traits traits;
    traits.invariant = false;
    const Value noise = graph.noise(site.path + "/noise");
    graph.add(
        site.path + "/step", OperationKind::move, traits,
        {{graph.current(site.slot), Role::state}, {noise, Role::noise}, {site.target, Role::law}},
        {Output::next(site.slot)}, std::make_shared<CarelessStep>(oversteps_));
  }

 private:
  bool oversteps_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<CarelessKernel>({.id = "careless", .summary = "writes after its columns"});
}
