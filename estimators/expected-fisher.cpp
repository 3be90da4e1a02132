// Estimator `expected-fisher`: the inverse of the model's metric at the slot's own position.
// SPDX-License-Identifier: Apache-2.0
#include "covariance/constant.hpp"
#include "covariance/dense.hpp"
#include "own/estimator.hpp"

#include <mixwell/plugin.hpp>

#include <memory>

namespace {

using namespace mixwell;

class ExpectedFisher final : public own::FollowingEstimator {
 public:
  struct Params {
    bool gamma = true;

    void declare(Fields& fields) {
      fields.flag("gamma", gamma)
          .help(
              "include the drift correction Gamma, which a position-dependent metric needs at "
              "every step size");
    }
  };

  /// Metrics are continuous and positive definite.
  static Traits declared() { return continuous(Bound::local); }

  explicit ExpectedFisher(const Params& params)
      : FollowingEstimator(std::make_shared<covariance::DenseRepresentation>(), declared()),
        gamma_(params.gamma) {}

  Index rows(Index dimension) const override { return covariance::DenseNumbers(dimension).rows(); }

  Index state_rows(Index) const noexcept override { return 0; }
  bool has_drift_correction() const noexcept override { return gamma_; }
  Traits drift_correction_traits() const override {
    Traits traits;
    traits.total = true;
    return traits;
  }
  std::string refusal(const Potential& target) const override {
    if (target.offers<Metric>() != nullptr) return {};
    return "the model offers no metric, but this estimator sets H to the inverse of the model's "
           "metric. Use a regression model, or one of the models `gaussian`, `quartic`, `banana` "
           "and `funnel`.";
  }

  std::shared_ptr<const Representation> constant(const Potential& target,
                                                 Index dimension) const override {
    if (!target.offers<Metric>()->is_constant()) return nullptr;
    Workspace scratch;
    Eigen::VectorXd numbers(rows(dimension));
    const Eigen::MatrixXd anywhere = Eigen::MatrixXd::Zero(dimension, 1);
    fit(target, anywhere, anywhere, numbers, scratch);
    return std::make_shared<covariance::Constant<covariance::DenseRepresentation>>(
        std::move(numbers));
  }

  /// O(d^3) for each column beyond the metric. A metric that is not positive definite gives NaN, so
  /// the step diverges.
  void fit(const Potential& target, ConstBatch theta, ConstBatch, Batch numbers,
           Workspace& scratch) const override {
    const Workspace::Frame frame(scratch);
    const Index d = theta.rows();
    const covariance::DenseNumbers at(d);
    MatrixMap G = scratch.matrix(d * d, theta.cols());
    target.offers<Metric>()->metric(theta, G, scratch);
    MatrixMap factor = scratch.matrix(d, d);
    for (Index j = 0; j < theta.cols(); ++j) {
      MatrixMap H(numbers.col(j).data() + at.covariance(), d, d);
      MatrixMap S(numbers.col(j).data() + at.factor(), d, d);
      bool fine = covariance::cholesky(ConstMatrixMap(G.col(j).data(), d, d), factor);
      H.setIdentity();
      factor.triangularView<Eigen::Lower>().solveInPlace(H);
      factor.transpose().triangularView<Eigen::Upper>().solveInPlace(H);
      fine = fine && covariance::cholesky(H, S);
      if (!fine) numbers.col(j).setConstant(std::numeric_limits<double>::quiet_NaN());
    }
  }

  /// Gamma_i = sum_j dH_ij / dtheta_j = -sum_a H_ia sum_bj H_bj dG_ab / dtheta_j. O(d^2) for each
  /// column beyond the derivative of the metric.
  void drift_correction(const Potential& target, ConstBatch theta, ConstBatch, ConstBatch numbers,
                        Batch out, Workspace& scratch) const override {
    const Workspace::Frame frame(scratch);
    const Index d = theta.rows();
    const covariance::DenseNumbers at(d);
    MatrixMap H = scratch.matrix(d * d, theta.cols());
    MatrixMap change = scratch.matrix(d, theta.cols());
    H = numbers.middleRows(at.covariance(), d * d);
    target.offers<Metric>()->contract_crosswise(theta, H, change, scratch);
    for (Index j = 0; j < theta.cols(); ++j) {
      out.col(j).noalias() = ConstMatrixMap(H.col(j).data(), d, d) * change.col(j);
    }
    out = -out;
  }

 private:
  bool gamma_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<ExpectedFisher>(
      {.id = "expected-fisher",
       .summary = "H = inverse of the model's metric at the slot's current position (SGRLD)",
       .details =
           "The metric of a regression model is the expected Fisher information plus the Hessian "
           "of the prior's negative log density. If H depends on theta, the drift of a step needs "
           "Gamma_i = sum_j dH_ij / dtheta_j. Mixwell computes Gamma from the derivatives of the "
           "metric. If the metric is constant, Gamma is 0 and Mixwell computes H only once. For a "
           "regression model with N cases, each step of the sampler costs O(N d^2 + d^3) for each "
           "replicate. Use this estimator with kernel `langevin`.",
       .sources = {"Patterson & Teh 2013, NIPS (SGRLD)",
                   "Girolami & Calderhead 2011, J. R. Statist. Soc. B 73 (metrics)"}});
}
