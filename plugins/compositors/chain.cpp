// One slot, one kernel: the plain sampler.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

namespace {

using namespace mixwell;

class Chain final : public Compositor {
 public:
  struct Params {
    std::shared_ptr<const Model> model;
    std::shared_ptr<const Kernel> kernel;

    void declare(Fields& fields) {
      fields.component("model", model).help("what to sample");
      fields.component("kernel", kernel).or_default("nuts").help("the transition of each sweep");
    }
  };
  explicit Chain(const Params& params) : model_(params.model), kernel_(params.kernel) {}

  void compose(KernelGraph& graph, PhaseKind phase) const override {
    const Value target = target_law(graph, model_->name(), model_);
    const Variable theta = graph.slot("theta", model_->dimension());
    graph.factor(target, {theta});
    Site site;
    site.path = kernel_->name();
    site.slot = theta;
    site.target = target;
    site.phase = phase;
    kernel_->describe(graph, site);
    record_slot(graph, theta, 0, model_, target);
  }
  const Model& model() const noexcept override { return *model_; }
  std::vector<std::string> slots() const override { return {"theta"}; }

 private:
  std::shared_ptr<const Model> model_;
  std::shared_ptr<const Kernel> kernel_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<Chain>({.id = "chain",
                        .summary = "a single slot moved by a single kernel",
                        .details = "A sweep is one transition of the kernel.",
                        .sources = {}});
}
