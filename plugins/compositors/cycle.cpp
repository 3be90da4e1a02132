// Compositor `cycle`: several kernels move one position, one after another.
// SPDX-License-Identifier: Apache-2.0
#include "parts.hpp"

#include <mixwell/plugin.hpp>

namespace {

using namespace mixwell;

class Cycle final : public Compositor {
 public:
  struct Params {
    std::shared_ptr<const Model> model;
    std::vector<std::shared_ptr<const Kernel>> kernels;

    void declare(Fields& fields) {
      fields.component("model", model).help("the model to sample");
      fields.components("kernels", kernels)
          .help("the kernels of a sweep, in order; a name may occur more than once");
    }
  };
  explicit Cycle(const Params& params) : model_(params.model), kernels_(params.kernels) {}

  void compose(KernelGraph& graph, PhaseKind phase) const override {
    const parts::Shared shared = parts::add_position(graph, model_, kernels_);
    const auto labels = parts::labels(kernels_);
    for (std::size_t k = 0; k < kernels_.size(); ++k) {
      kernels_[k]->describe(graph, parts::site(shared, labels[k], phase));
    }
    scatter_position(graph, shared.position);
    parts::record_whole(graph, {}, labels, std::vector<Guard>(labels.size()));
    record_position(graph, shared.position, 0, model_, shared.target);
  }
  const Model& model() const noexcept override { return *model_; }
  std::vector<std::string> slots() const override { return {"theta"}; }

 private:
  std::shared_ptr<const Model> model_;
  std::vector<std::shared_ptr<const Kernel>> kernels_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<Cycle>(
      {.id = "cycle",
       .summary = "Several kernels that move one position, one after another",
       .details = "A sweep is one transition of each kernel, in the order of `kernels`. Every "
                  "kernel adapts separately. The statistics of each kernel are recorded with the "
                  "kernel's name as prefix, as in hmc_acceptance_rate. The statistics without a "
                  "prefix combine all kernels: acceptance_rate is the mean, and diverging is true "
                  "if any kernel diverged.",
       .sources = {"Tierney 1994, Ann. Stat. 22"}});
}
