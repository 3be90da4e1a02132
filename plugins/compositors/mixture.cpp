// Compositor `mixture`: each sweep runs one of several kernels, chosen at random.
// SPDX-License-Identifier: Apache-2.0
#include "parts.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>

namespace {

using namespace mixwell;

class Mixture final : public Compositor {
 public:
  struct Params {
    std::shared_ptr<const Model> model;
    std::vector<std::shared_ptr<const Kernel>> kernels;
    std::vector<double> weights;
    std::string choice = "random";

    void declare(Fields& fields) {
      fields.component("model", model).help("the model to sample");
      fields.components("kernels", kernels).help("the kernels to choose from");
      fields.numbers("weights", weights)
          .above(0)
          .help("relative probabilities of the kernels; by default all are equal");
      fields.text("choice", choice)
          .one_of({"random", "position"})
          .help("how a kernel is chosen (`position` gives biased draws; only for comparison)");
    }
  };
  explicit Mixture(const Params& params)
      : model_(params.model), kernels_(params.kernels), by_position_(params.choice == "position") {
    std::vector<double> weights = params.weights;
    if (weights.empty()) weights.assign(kernels_.size(), 1.0);
    if (weights.size() != kernels_.size()) {
      throw ParameterError("weights", "there are " + std::to_string(weights.size()) +
                                          " weights for " + std::to_string(kernels_.size()) +
                                          " kernels. Give one weight for each kernel.");
    }
    ends_ = parts::ends_of_shares(std::move(weights));
  }

  void compose(KernelGraph& graph, PhaseKind phase) const override {
    const parts::Shared shared = parts::add_position(graph, model_, kernels_);
    const auto labels = parts::labels(kernels_);
    const Value choice = choose(graph, shared.position.whole);
    std::vector<Guard> guards;
    for (std::size_t k = 0; k < kernels_.size(); ++k) {
      guards.push_back({choice, static_cast<Index>(k)});
      graph.set_guard(guards.back());
      kernels_[k]->describe(graph, parts::site(shared, labels[k], phase));
    }
    graph.set_guard();
    scatter_position(graph, shared.position);
    parts::record_branch(graph, {}, choice);
    parts::record_whole(graph, {}, labels, guards);
    record_position(graph, shared.position, 0, model_, shared.target);
  }
  const Model& model() const noexcept override { return *model_; }
  std::vector<std::string> slots() const override { return {"theta"}; }

 private:
  Value choose(KernelGraph& graph, Variable slot) const {
    if (!by_position_) return parts::draw_branch(graph, {}, ends_);
    return add_operation(
               graph, "choose", OperationKind::pure, {},
               [ends = ends_](Columns& block, edge::PointPosition theta,
                              edge::Out<parts::Branch> out) {
                 RowMap share = block.scratch().row(out.cols());
                 share.array() = (1.0 + (-theta.row(0).array()).exp()).inverse();
                 parts::choose_by(ConstRowMap(share.data(), share.size()), ends, out);
               },
               Edge<edge::PointPosition>{graph.current(slot)},
               Write<parts::Branch>{Output::derived("branch", 1)})
        .value;
  }

  std::shared_ptr<const Model> model_;
  std::vector<std::shared_ptr<const Kernel>> kernels_;
  bool by_position_;
  std::vector<double> ends_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<Mixture>(
      {.id = "mixture",
       .summary = "One of several kernels, chosen at random in each sweep",
       .details = "In each sweep every replicate chooses one of `kernels` with probabilities "
                  "proportional to `weights`, and only that kernel runs. With choice = "
                  "\"position\", `weights` divide (0, 1) into one interval for each kernel, and "
                  "the interval that contains 1 / (1 + exp(-theta_0)) selects the kernel. The "
                  "statistics of each kernel are recorded with the kernel's name as prefix, as in "
                  "hmc_acceptance_rate. They are NaN, 0 or false in sweeps in which a different "
                  "kernel ran. `branch` records the choice. acceptance_rate and diverging describe "
                  "the whole sweep. With the estimator's key `pool`, a preconditioner is estimated "
                  "from all replicates together. A step size cannot be pooled.",
       .sources = {"Tierney 1994, Ann. Stat. 22"}});
}
