// Compositor `pilot-chain`: a chain whose preconditioner is fitted to the past of a second chain.
// SPDX-License-Identifier: Apache-2.0
#include "parts.hpp"
#include "provided_memory.hpp"

#include <mixwell/plugin.hpp>

#include <string>
#include <vector>

namespace {

using namespace mixwell;

constexpr Index usual_history = 10;

class PilotChain final : public Compositor {
 public:
  struct Params {
    std::shared_ptr<const Model> model;
    std::shared_ptr<const Kernel> pilot;
    std::shared_ptr<const Kernel> kernel;
    std::int64_t history = usual_history;
    bool record_slots = false;

    void declare(Fields& fields) {
      fields.component("model", model).help("the model that both chains sample");
      fields.component("pilot", pilot)
          .help("the kernel of the pilot chain, whose draws are not recorded");
      fields.component("kernel", kernel).help("the kernel of the chain that is recorded");
      fields.integer("history", history)
          .at_least(2)
          .at_most(10000)
          .help("number of past points of the pilot to which the preconditioners are fitted");
      fields.flag("record_slots", record_slots)
          .help("record the pilot's positions too, as pilot_position in sample_stats");
    }
  };
  explicit PilotChain(const Params& params)
      : model_(params.model),
        pilot_(params.pilot),
        kernel_(params.kernel),
        history_(static_cast<Index>(params.history)),
        records_slots_(params.record_slots) {}

  void compose(KernelGraph& graph, PhaseKind phase) const override {
    if (history_ != usual_history)
      provided_memory::require_reader("history", {pilot_, kernel_}, model_, phase);
    const Value target = target_law(graph, model_->name(), model_);
    const Variable pilot = graph.slot("pilot", model_->dimension());
    const Variable theta = graph.slot("theta", model_->dimension());
    graph.factor(target, {pilot});
    graph.factor(target, {theta});
    const PointHistory history =
        add_point_history(graph, "pilot/history", model_->dimension(), history_);

    Site site = this->site(pilot, "pilot/" + pilot_->name(), target, history, phase);
    site.label = "pilot";
    site.remember = Remember::path;
    pilot_->describe(graph, site);
    kernel_->describe(graph, this->site(theta, kernel_->name(), target, history, phase));
    record_slot(graph, theta, 0, model_, target);
    if (records_slots_) parts::record_augmented(graph, pilot);
  }
  const Model& model() const noexcept override { return *model_; }
  std::vector<std::string> slots() const override { return {"theta"}; }

 private:
  static Site site(Variable slot, std::string path, Value target, const PointHistory& history,
                   PhaseKind phase) {
    return {.path = std::move(path),
            .slot = slot,
            .target = target,
            .history = history,
            .fit_to = FitTo::history,
            .phase = phase};
  }

  std::shared_ptr<const Model> model_;
  std::shared_ptr<const Kernel> pilot_;
  std::shared_ptr<const Kernel> kernel_;
  Index history_;
  bool records_slots_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<PilotChain>(
      {.id = "pilot-chain",
       .summary = "A chain with a preconditioner fitted to the past of a second chain, the pilot",
       .details = "Each sweep moves the pilot, then the chain. The preconditioners of both are "
                  "fitted to the last points of the pilot's accepted trajectories. The pilot thus "
                  "depends on its own past, so it does not necessarily sample the model's density "
                  "pi. The chain cannot influence the pilot. Given the pilot's whole path, the "
                  "transition kernels of the chain are fixed in advance, and each of them leaves "
                  "pi invariant. So the chain leaves pi invariant even if the pilot does not. The "
                  "mixing of the chain depends on where the pilot has been. The statistics of the "
                  "pilot are recorded with the prefix pilot_, as in pilot_acceptance_rate.",
       .sources = {"Gilks, Roberts & George 1994, The Statistician 43 (the idea of learning from "
                   "other chains)"},
       .provides_memory = true});
}
