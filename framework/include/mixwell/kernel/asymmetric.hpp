// Proposals whose density q is not symmetric, so the acceptance ratio needs q in both directions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/graph/edge.hpp>
#include <mixwell/kernel/transition.hpp>

#include <memory>
#include <optional>

namespace mixwell {

/// A proposal density q(y | theta). It may depend on theta through grad U and eps, column by
/// column.
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
  /// Draws y ~ q(. | theta), d x w. Equal draw numbers of the noise give equal numbers.
  virtual void draw(const From& from, const edge::Noise& noise, Batch y) const = 0;
  /// Writes -log q(y | theta) for each column, up to a constant that is the same for all theta and
  /// y.
  virtual void energy(const From& from, ConstBatch y, Row out) const = 0;
};

/// Proposes y from q at the newest position, and computes q again at y. Pass the result to
/// t.metropolis(law, .) to accept with probability
///   min(1, exp(U(theta) - U(y)) q(theta | y) / q(y | theta)).
/// The certificate treats y as an auxiliary variable with the law q(. | theta). The move exchanges
/// theta and y. This is an involution that preserves volume for any q. Cost: one gradient at y, and
/// 2 d + 1 numbers for each column to describe q at each end.
MIXWELL_EXPORT Proposal propose_asymmetric(Transition& t, Edge<edge::Law> law,
                                           Edge<edge::StepSize> eps,
                                           std::shared_ptr<const AsymmetricProposal> q);

/// A kernel that proposes from the q of the class Step and accepts or rejects by Metropolis.
/// Step::advice names a good target for the acceptance rate.
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

/// The same scheme for a density q of the class Drawn, whose numbers are values of the graph (see
/// Transition::redraw). law_from(path, point) adds q(. | point) under `path` and returns it. This
/// function is called at the newest position and at y, and must add the same function both times.
/// If the kernel accepts a law that is known only through an estimate, the points have no
/// evaluations. q draws y in `space`.
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
