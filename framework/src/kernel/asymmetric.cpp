// Proposals that are not as likely back as there.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/asymmetric.hpp>

#include <utility>

namespace mixwell {
namespace {

/// The numbers of a ProposedFrom: theta, grad U, eps.
struct FromNumbers : edge::Numbers<Role::parameter> {
  using Numbers::Numbers;
};

constexpr Index rows_from(Index dimension) { return 2 * dimension + 1; }

/// exp(-energy(.)) = q(. | theta), as a law of the graph.
class ProposedFrom final : public Potential {
 public:
  explicit ProposedFrom(std::shared_ptr<const AsymmetricProposal> q) : q_(std::move(q)) {}

  /// Only U is of use: of q nobody follows the gradient, and it is written as 0.
  void evaluate(const Numbers& numbers, ConstBatch y, const Evaluation& out) const override {
    const Workspace::Frame frame(out.scratch);
    Batch gradient = out.gradient;
    gradient.setZero();
    if (out.wants_potential()) q_->energy(at(numbers, y.rows(), y.cols(), out.scratch), y, out.u());
  }
  double gradient_cost() const noexcept override { return 0.0; }

  void draw(const Numbers& numbers, const edge::Noise& noise, Batch y, Workspace& scratch) const {
    q_->draw(at(numbers, y.rows(), y.cols(), scratch), noise, y);
  }

 private:
  static AsymmetricProposal::From at(const Numbers& numbers, Index d, Index w, Workspace& scratch) {
    MatrixMap theta = scratch.matrix(d, w);
    MatrixMap g = scratch.matrix(d, w);
    RowMap eps = scratch.row(w);
    for (Index j = 0; j < w; ++j) {
      const Eigen::Map<const Eigen::VectorXd> column(numbers.column(j), rows_from(d));
      theta.col(j) = column.head(d);
      g.col(j) = column.segment(d, d);
      eps(j) = column(2 * d);
    }
    return {ConstMatrixMap(theta.data(), d, w), ConstMatrixMap(g.data(), d, w),
            ConstRowMap(eps.data(), w), scratch};
  }

  std::shared_ptr<const AsymmetricProposal> q_;
};

void write_from(edge::PointPosition theta, edge::PointGradient g, edge::StepSize eps,
                edge::Out<FromNumbers> numbers) {
  const Index d = theta.rows();
  numbers.topRows(d) = theta;
  numbers.middleRows(d, d) = g;
  numbers.bottomRows<1>() = eps;
}

}  // namespace

AsymmetricProposal::~AsymmetricProposal() = default;

Proposal propose_asymmetric(Transition& t, Edge<edge::Law> law, Edge<edge::StepSize> eps,
                            std::shared_ptr<const AsymmetricProposal> q) {
  KernelGraph& graph = t.graph();
  const auto function = std::make_shared<ProposedFrom>(std::move(q));
  SharedOperation from([](edge::PointPosition theta, edge::PointGradient g, edge::StepSize size,
                          edge::Out<FromNumbers> numbers) { write_from(theta, g, size, numbers); });
  const auto law_from = [&](const std::string& name, Value theta, Value g) {
    return from.add(graph, t.path(name), OperationKind::pure, {}, Edge<edge::PointPosition>{theta},
                    Edge<edge::PointGradient>{g}, eps,
                    t.derived<FromNumbers>(name, rows_from(t.dimension()), function));
  };
  const Value theta = t.position().value;
  const auto there = law_from("proposal-law", theta, t.evaluation(law).g.value);
  const Variable y = graph.auxiliary(t.path("proposal"), t.dimension());
  Traits traits;
  traits.keeps_law = true;
  traits.full = true;
  t.add(
      "propose", OperationKind::refresh, traits,
      [](Columns& block, edge::LawOf<ProposedFrom> by, edge::Noise noise,
         edge::Out<edge::Auxiliary> to) {
        by.function.draw(by.numbers, noise, to, block.scratch());
      },
      Edge<edge::LawOf<ProposedFrom>>{there.value}, t.noise("propose"),
      Write<edge::Auxiliary>{Output::next(y)});
  const Value proposed = graph.current(y);
  const Cached at = graph.evaluation(law.value, y);
  const auto back = law_from("back/proposal-law", proposed, at.g);
  const auto [theta_end, y_end] = graph.exchange(t.path("exchange"), theta, proposed);
  return {.theta = {theta_end},
          .at = EvaluationAt<edge::There>{{at.u}, {at.g}},
          .auxiliaries = {{.variable = y,
                           .end = {y_end},
                           .law = {there.value},
                           .law_at_proposal = Edge<edge::AuxiliaryLaw<edge::There>>{back.value}}}};
}

}  // namespace mixwell
