// Proposals whose density q is not symmetric, so the acceptance ratio needs q in both directions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/graph/edge.hpp>
#include <mixwell/kernel/transition.hpp>

#include <memory>
#include <optional>

namespace mixwell {

/// A proposal density q(y | theta). It may also depend on grad U(theta) and eps. Each column has
/// its own q.
class MIXWELL_EXPORT AsymmetricProposal {
 public:
  /// The point at which a proposal starts.
  struct From {
    ConstMatrixMap theta;  ///< d x w
    ConstMatrixMap g;      ///< grad U there, d x w
    ConstRowMap eps;       ///< 1 x w
    Workspace& scratch;
  };

  virtual ~AsymmetricProposal();
  /// Draws y ~ q(. | theta), d x w. Calls of `noise` with equal draw numbers give equal random
  /// numbers.
  virtual void draw(const From& from, const edge::Noise& noise, Batch y) const = 0;
  /// Writes -log q(y | theta) for each column, up to a constant that is the same for all theta and
  /// y.
  virtual void energy(const From& from, ConstBatch y, Row out) const = 0;
};

/// Proposes y from q at the newest position, and computes q again at y. Pass the result to
/// t.metropolis(law, .) to accept with probability
///   min(1, exp(U(theta) - U(y)) q(theta | y) / q(y | theta)).
/// The certificate treats y as an auxiliary variable with the law q(. | theta). The move exchanges
/// theta and y. This exchange is an involution that preserves volume for any q. Each proposal costs
/// one gradient at y. For each column it stores 2 d + 1 numbers for q(. | theta), and as many for
/// q(. | y).
MIXWELL_EXPORT Proposal propose_asymmetric(Transition& t, Edge<edge::Law> law,
                                           Edge<edge::StepSize> eps,
                                           std::shared_ptr<const AsymmetricProposal> q);

/// A kernel that draws proposals from the AsymmetricProposal `Step`, and accepts or rejects them by
/// the Metropolis-Hastings rule. The text Step::advice recommends a target for the acceptance rate.
template <class Step>
class AsymmetricKernel final : public TransitionKernel {
 public:
  struct Params {
    std::shared_ptr<const Oracle> oracle;
    StepSizeSettings step_size{};

    void declare(Fields& fields) {
      fields.component("oracle", oracle).or_default("exact").help("source of U and grad U");
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

/// Proposes as propose_asymmetric does, but q may be any law in the graph, provided that the law's
/// function has the class Drawn (see Transition::redraw). law_from(path, point) adds q(. | point)
/// to the graph, with names under `path`, and returns this law. law_from is called at the newest
/// position and at y, and both results must have the same function. If t.takes_estimate_of(law) is
/// true, `point` has no evaluation. `space` is the space of y.
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
