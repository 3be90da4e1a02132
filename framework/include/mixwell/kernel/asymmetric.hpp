// Proposals that are not as likely back as there: their density at both ends.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/graph/edge.hpp>
#include <mixwell/kernel/transition.hpp>

#include <memory>
#include <optional>

namespace mixwell {

/// q(y | theta), which may depend on theta through grad U and eps, column by column.
class MIXWELL_EXPORT AsymmetricProposal {
 public:
  /// From where it is made.
  struct From {
    ConstMatrixMap theta;  ///< d x w
    ConstMatrixMap g;      ///< grad U there, d x w
    ConstRowMap eps;       ///< 1 x w
    Workspace& scratch;
  };

  virtual ~AsymmetricProposal();
  /// y ~ q(. | theta), d x w. The same `draw` of the noise is the same numbers.
  virtual void draw(const From& from, const edge::Noise& noise, Batch y) const = 0;
  /// -log q(y | theta) of each column, up to a constant that is the same for all theta and y.
  virtual void energy(const From& from, ConstBatch y, Row out) const = 0;
};

/// y from q at the newest position, and q made anew at y: what t.metropolis(law, .) needs for
///   min(1, exp(U(theta) - U(y)) q(theta | y) / q(y | theta)).
/// To the certificate, y is an auxiliary variable with the law q(. | theta); theta and y change
/// places, which is an involution that keeps volume whatever q is. One gradient at y, and 2 d + 1
/// numbers a column for q at either end.
MIXWELL_EXPORT Proposal propose_asymmetric(Transition& t, Edge<edge::Law> law,
                                           Edge<edge::StepSize> eps,
                                           std::shared_ptr<const AsymmetricProposal> q);

/// The kernel that makes such a proposal, by a q of the class Step, and decides by Metropolis.
/// Step::advice: which acceptance rate is good to aim at.
template <class Step>
class AsymmetricKernel final : public TransitionKernel {
 public:
  struct Params {
    std::shared_ptr<const Oracle> oracle;
    StepSizeSettings step_size{};

    void declare(Fields& fields) {
      fields.component("oracle", oracle).or_default("exact").help("where U and grad U come from");
      step_size.declare_with_target(fields, Step::advice);
    }
  };
  explicit AsymmetricKernel(const Params& params) : params_(params) { params.step_size.check(); }

 protected:
  void transition(Transition& t) const override {
    const auto law = t.law(params_.oracle);
    const auto eps = t.step_size(params_.step_size);
    t.metropolis(law, propose_asymmetric(t, law, eps, std::make_shared<Step>()));
  }

 private:
  Params params_;
};

/// The same scheme for a q with numbers of its own, of the class Drawn (as for Transition::redraw):
/// law_from(path, point) adds q(. | point) under `path` and returns it; it is called at the newest
/// position and at y, and must add the same function of each. Of a law that is known only by an
/// estimate, which the kernel takes, the points have no evaluations. `space`: where q draws y.
template <class Drawn, class LawFrom>
Proposal propose_from(Transition& t, Edge<edge::Law> law, LawFrom&& law_from,
                      Space space = Space::real) {
  KernelGraph& graph = t.graph();
  const bool evaluates = !t.takes_estimate_of(law);
  const EvaluatedPoint here{t.position().value,
                            evaluates ? graph.evaluation(law.value, t.site().slot) : Cached{}};
  const Value there = law_from(t.site().path, here);
  const Variable y = graph.auxiliary(t.path("proposal"), t.dimension(), {.space = space});
  t.redraw<edge::Auxiliary>("propose", y, Edge<edge::LawOf<Drawn>>{there});
  const EvaluatedPoint proposed{graph.current(y),
                                evaluates ? graph.evaluation(law.value, y) : Cached{}};
  const Value back = law_from(t.path("back"), proposed);
  const auto [theta_end, y_end] = graph.exchange(t.path("exchange"), here.theta, proposed.theta);
  return {.theta = {theta_end},
          .at = evaluates ? std::optional(EvaluationAt<edge::There>(proposed.at)) : std::nullopt,
          .auxiliaries = {{.variable = y,
                           .end = {y_end},
                           .law = {there},
                           .law_at_proposal = Edge<edge::AuxiliaryLaw<edge::There>>{back}}}};
}

}  // namespace mixwell
