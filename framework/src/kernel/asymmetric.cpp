// Proposals whose density is not symmetric: q(y | x) differs from q(x | y).
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/kernel/asymmetric.hpp>

#include <string>
#include <utility>

namespace mixwell {
namespace {

/// The numbers of a ProposedFrom: theta, grad U, eps.
struct FromNumbers : edge::Numbers<Role::parameter> {};

constexpr Index rows_from(Index dimension) { return 2 * dimension + 1; }

/// exp(-energy(.)) = q(. | theta), as a law of the graph.
class ProposedFrom final : public Potential {
 public:
  explicit ProposedFrom(std::shared_ptr<const AsymmetricProposal> q) : q_(std::move(q)) {}

  /// Only U is used. Nothing reads the gradient of q, so it is written as 0.
  void evaluate(const Numbers& numbers, ConstBatch y, const Evaluation& out) const override {
    const Workspace::Frame frame(out.scratch);
    Batch gradient = out.gradient;
    if (out.wants_gradient()) gradient.setZero();
    if (out.wants_potential()) q_->energy(at(numbers, y.rows(), y.cols(), out.scratch), y, out.u());
  }
  bool evaluates_potential_alone() const noexcept override { return true; }
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
  const auto function = std::make_shared<ProposedFrom>(std::move(q));
  SharedOperation from([](edge::PointPosition theta, edge::PointGradient g, edge::StepSize size,
                          edge::Out<FromNumbers> numbers) { write_from(theta, g, size, numbers); });
  return propose_from<ProposedFrom>(
      t, law, [&](const std::string& path, const EvaluatedPoint& point) {
        const std::string name = path + "/proposal-law";
        const Write<FromNumbers> numbers{Output::derived(name, rows_from(t.dimension()), function)};
        return from
            .add(t.graph(), name, OperationKind::pure, {}, Edge<edge::PointPosition>{point.theta},
                 Edge<edge::PointGradient>{point.at.g}, eps, numbers)
            .value;
      });
}

}  // namespace mixwell
