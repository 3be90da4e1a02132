// A composition that draws independently from a model's prior.
// SPDX-License-Identifier: Apache-2.0
#include "kernel/prior_draws.hpp"

#include <mixwell/kernel/transition.hpp>

#include <string>
#include <utility>
#include <vector>

namespace mixwell {
namespace {

/// Leaves the prior invariant, because it draws from the prior whatever the slot held before.
class PriorDraw final : public TransitionKernel {
 public:
  explicit PriorDraw(std::shared_ptr<const Model> model) : model_(std::move(model)) {
    set_name("prior");
  }

 protected:
  void transition(Transition& t) const override {
    t.add("draw", OperationKind::refresh, {.keeps_law = true, .full = true, .whole_numbers = true},
          FromPrior{model_, *model_->offers<Prior>()}, t.target(), t.noise("draw"), t.next());
  }

 private:
  struct FromPrior {
    std::shared_ptr<const Model> model;
    const Prior& prior;

    const Component& acts_for() const noexcept { return *model; }
    void operator()(edge::Law, edge::Noise noise, edge::Out<edge::Position> next) const {
      prior.draw(noise.stream(), noise.address(), next);
    }
  };

  std::shared_ptr<const Model> model_;
};

class PriorDraws final : public Compositor {
 public:
  explicit PriorDraws(const std::shared_ptr<const Model>& model) : model_(model), kernel_(model) {
    set_name("prior");
  }

  void compose(KernelGraph& graph, PhaseKind phase) const override {
    const Value target = target_law(graph, model_->name(), model_);
    const Variable theta = graph.slot("theta", model_->dimension());
    graph.factor(target, {theta});
    kernel_.describe(graph,
                     {.path = kernel_.name(), .slot = theta, .target = target, .phase = phase});
    record_slot(graph, theta, 0, model_, {});
  }
  const Model& model() const noexcept override { return *model_; }
  std::vector<std::string> slots() const override { return {"theta"}; }

 private:
  std::shared_ptr<const Model> model_;
  PriorDraw kernel_;
};

}  // namespace

std::shared_ptr<const Compositor> prior_draws(std::shared_ptr<const Model> model) {
  return std::make_shared<PriorDraws>(model);
}

}  // namespace mixwell
