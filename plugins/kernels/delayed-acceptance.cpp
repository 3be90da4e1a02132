// Delayed acceptance: a cheap law proposes, the model's own decides.
// SPDX-License-Identifier: Apache-2.0
#include "../compositors/parts.hpp"
#include "delayed-acceptance/decision.hpp"

#include <mixwell/plugin.hpp>

#include <memory>
#include <string>
#include <vector>

namespace mixwell::delayed_acceptance {
namespace {

class DelayedAcceptance final : public TransitionKernel {
 public:
  struct Params {
    std::vector<std::shared_ptr<const Kernel>> kernels;
    std::shared_ptr<const Oracle> oracle;

    void declare(Fields& fields) {
      fields.components("kernels", kernels)
          .required()
          .help(
              "the stages of the proposal in their order, kernels that move by the oracle's law; a "
              "name may come again. They must be the same read backwards: [a], [a, a], [a, b, a]");
      fields.component("oracle", oracle)
          .required()
          .help(
              "the law of the stages, cheaper than the model's, such as a surrogate or a "
              "minibatch");
    }
  };
  explicit DelayedAcceptance(const Params& params)
      : params_(params), labels_(parts::labels(params.kernels)) {
    if (params.kernels.empty()) throw ParameterError("kernels", "names no kernel");
  }

 protected:
  void transition(Transition& t) const override {
    KernelGraph& graph = t.graph();
    const Edge<edge::StageLaw> rough{t.law(params_.oracle).value};
    const EvaluationAt<edge::Here> here = t.evaluation(t.target());
    const Variable trial = graph.trial(t.path("trial"), t.site().slot);
    graph.begin_trial(trial);
    const Value start = graph.current(trial);
    const Value rough_here = graph.evaluation(rough.value, trial).u;
    for (std::size_t k = 0; k < params_.kernels.size(); ++k) {
      graph.begin_description(*params_.kernels[k]);
      params_.kernels[k]->describe(graph, stage(t, k, trial, rough.value));
      graph.end_description();
    }
    if (graph.current(trial) == start) {
      throw WiringError("kernel `" + t.site().path + "`: its stages do not move anything");
    }
    const Edge<edge::Proposed<edge::Position>> end{graph.current(trial)};
    const EvaluationAt<edge::There> there = evaluate_where_moved(t, end, here);
    decide(t, {.end = end,
               .rough = rough,
               .here = here,
               .there = there,
               .rough_here = {rough_here},
               .rough_there = {graph.evaluation(rough.value, trial).u}});
  }

 private:
  /// The place of a stage: it moves the trial by the stage law.
  Site stage(const Transition& t, std::size_t k, Variable trial, Value law) const {
    Site site;
    site.path = t.path(labels_[k]);
    site.label = recorded_name(t.site(), labels_[k]);
    site.slot = trial;
    site.number = t.site().number;
    site.target = law;
    if (t.site().fit_to == FitTo::memory) site.memory = t.site().memory;
    site.phase = t.site().phase;
    return site;
  }

  Params params_;
  std::vector<std::string> labels_;
};

}  // namespace
}  // namespace mixwell::delayed_acceptance

MIXWELL_PLUGIN(registrar) {
  registrar.add<mixwell::delayed_acceptance::DelayedAcceptance>(
      {.id = "delayed-acceptance",
       .summary = "proposals by kernels on a cheap law, decided by the model's own",
       .details =
           "The kernels in `kernels` move a copy of the position, one after another, by the law "
           "exp(-V) of `oracle`. Where they have moved it from x to y, U(y) is evaluated, and y is "
           "taken with probability min(1, exp(U(x) - U(y) - V(x) + V(y))); where every stage "
           "rejected, nothing of the model is. That is exact if the stages together are "
           "reversible for exp(-V), and V does not follow the position: the certificate derives "
           "both. A stage is a kernel with one Metropolis decision over a momentum that is drawn "
           "anew; stages must be the same read backwards, and a kernel that comes again must not "
           "learn for itself (give it a step_size). A noisy V has one draw of its noise in a "
           "transition; it goes with stages that do not follow its gradient.\n"
           "Costs: one evaluation of U where the stages moved, two of V beside those of the "
           "stages. acceptance_rate counts 0 where they did not move; `moved` says where they did.",
       .sources = {"Christen & Fox 2005, J. Comp. Graph. Stat. 14, 795-810",
                   "Liu 2001, Monte Carlo Strategies in Scientific Computing, section 9.4.3"}});
}
