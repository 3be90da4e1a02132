// Compositor `chain`, the plain sampler: one position and one kernel.
// SPDX-License-Identifier: Apache-2.0
#include "parts.hpp"

#include <mixwell/plugin.hpp>

namespace {

using namespace mixwell;

class Chain final : public Compositor, public RowByRow {
 public:
  struct Params {
    std::shared_ptr<const Model> model;
    std::shared_ptr<const Kernel> kernel;

    void declare(Fields& fields) {
      fields.component("model", model).help("the model to sample");
      fields.component("kernel", kernel)
          .or_default("nuts")
          .help("the kernel that makes the transition of each sweep");
    }
  };
  explicit Chain(const Params& params) : model_(params.model), kernel_(params.kernel) {}

  void compose(KernelGraph& graph, PhaseKind phase) const override {
    const parts::Shared shared = parts::add_position(graph, model_, {kernel_});
    Site site = parts::site(shared, kernel_->name(), phase);
    site.label.clear();
    kernel_->describe(graph, site);
    scatter_position(graph, shared.position);
    record_position(graph, shared.position, 0, model_, shared.target);
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
                        .summary = "One position and one kernel: the plain sampler",
                        .details = "A sweep is one transition of the kernel.",
                        .sources = {}});
}
