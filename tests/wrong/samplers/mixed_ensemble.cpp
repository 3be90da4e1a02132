// An exact slot among unadjusted ones that may or may not see it.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

#include <string>
#include <vector>

namespace {

using namespace mixwell;

/// x0 is moved by `exact` with a preconditioner of x1 and x2, which are moved by `unadjusted` with
/// one of each other and, with feedback, of x0. Only x0 is recorded.
class MixedEnsemble final : public Compositor {
 public:
  struct Params {
    std::shared_ptr<const Model> model;
    std::shared_ptr<const Kernel> exact;
    std::shared_ptr<const Kernel> unadjusted;
    bool feedback = true;

    void declare(Fields& fields) {
      fields.component("model", model).help("what every slot samples");
      fields.component("exact", exact).help("the transition of the recorded slot");
      fields.component("unadjusted", unadjusted).help("that of the two others");
      fields.flag("feedback", feedback).help("whether the others see the recorded slot");
    }
  };
  explicit MixedEnsemble(const Params& params) : params_(params) {}

  void compose(KernelGraph& graph, PhaseKind phase) const override {
    const Value target = target_law(graph, params_.model->name(), params_.model);
    std::vector<Variable> slots;
    for (const char* name : {"x0", "x1", "x2"}) {
      slots.push_back(graph.slot(name, params_.model->dimension()));
      graph.factor(target, {slots.back()});
    }
    for (std::size_t i = 0; i < slots.size(); ++i) {
      Site site;
      site.path = "x" + std::to_string(i);
      site.label = i == 0 ? "" : site.path;
      site.slot = slots[i];
      site.target = target;
      site.phase = phase;
      for (std::size_t j = 0; j < slots.size(); ++j) {
        if (j == i || (j == 0 && !params_.feedback)) continue;
        const Cached at = graph.evaluation(target, slots[j]);
        site.memory.points.push_back(graph.current(slots[j]));
        site.memory.gradients.push_back(at.g);
        site.memory.potentials.push_back(at.u);
      }
      (i == 0 ? params_.exact : params_.unadjusted)->describe(graph, site);
    }
    record_slot(graph, slots.front(), 0, params_.model, target);
  }
  const Model& model() const noexcept override { return *params_.model; }
  std::vector<std::string> slots() const override { return {"x0"}; }

 private:
  Params params_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<MixedEnsemble>({.id = "mixed-ensemble",
                                .summary = "an exact slot among unadjusted ones",
                                .details = "For tests.",
                                .sources = {}});
}
