// What the posteriors of regressions on two labels share: prior, metric and sum of terms.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "design.hpp"
#include "likelihood.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

namespace mixwell::regression {

/// U(theta) = sum_n -log F(s_n x_n theta) + |theta|^2 / (2 prior_variance), F as `Link` tells it.
template <class Link>
class Posterior : public Model, public Prior, public DataDraws, public Metric, public SumOfTerms {
 public:
  const Prior* as_prior() const noexcept override { return this; }
  GradientGrowth gradient_growth() const noexcept override { return GradientGrowth::lipschitz; }

  void draw(const Stream& stream, Address at, Batch theta) const override {
    stream.normals(at, theta);
    theta *= std::sqrt(prior_variance_);
  }

  const DataDraws* as_data_draws() const noexcept override { return this; }
  /// Labels are drawn at the inputs that are there: that of case n is the other one where uniform n
  /// lies above F(s_n x_n theta). Without derived quantities and test set.
  std::shared_ptr<Model> with_data_at(ConstBatch theta, const Stream& stream,
                                      Address at) const override;

  const Metric* as_metric() const noexcept override { return this; }
  void metric(ConstBatch theta, Batch G, Workspace& scratch) const override {
    const Index d = theta.rows();
    G.setZero();
    for (Index j = 0; j < theta.cols(); ++j) {
      MatrixMap one(G.col(j).data(), d, d);
      one.diagonal().setConstant(1.0 / prior_variance_);
      likelihood_.add_information(theta.col(j).data(), one, scratch);
    }
  }
  void contract_derivative(ConstBatch theta, ConstBatch W, Batch out,
                           Workspace& scratch) const override {
    const Index d = theta.rows();
    out.setZero();
    for (Index j = 0; j < theta.cols(); ++j) {
      likelihood_.add_information_derivative(theta.col(j).data(), {W.col(j).data(), d, d},
                                             {out.col(j).data(), d}, scratch);
    }
  }
  /// G is the Hessian of a function: its derivative does not care about the order of indices.
  void contract_crosswise(ConstBatch theta, ConstBatch W, Batch out,
                          Workspace& scratch) const override {
    contract_derivative(theta, W, out, scratch);
  }

  const SumOfTerms* as_sum() const noexcept override { return this; }
  Index terms() const noexcept override { return likelihood_.cases(); }
  void evaluate_rest(ConstBatch theta, const Evaluation& out) const override {
    Batch gradient = out.gradient;
    if (out.wants_gradient()) gradient = theta / prior_variance_;
    if (out.wants_potential()) out.u() = (0.5 / prior_variance_) * theta.colwise().squaredNorm();
  }
  void evaluate_terms(ConstBatch theta, ConstBatch indices, const Evaluation& out) const override {
    likelihood_.evaluate_terms(theta, indices, out);
  }
  void gradients_of_terms(ConstBatch theta, ConstBatch indices, Batch out,
                          Workspace& scratch) const override {
    likelihood_.gradients_of_terms(theta, indices, out, scratch);
  }

 protected:
  Posterior(const Cases& cases, double prior_variance)
      : Posterior(Likelihood<Link>(cases.x, cases.positive), prior_variance) {}
  Posterior(Likelihood<Link> likelihood, double prior_variance)
      : likelihood_(std::move(likelihood)), prior_variance_(prior_variance) {}

 private:
  bool evaluates_potential_alone() const noexcept override { return true; }
  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    evaluate_rest(theta, out);
    likelihood_.add_to(theta, out);
  }

  Likelihood<Link> likelihood_;
  double prior_variance_;
};

/// The posterior of labels that were drawn.
template <class Link>
class Relabelled final : public Posterior<Link> {
 public:
  Relabelled(Likelihood<Link> likelihood, double prior_variance, std::vector<Parameter> parameters)
      : Posterior<Link>(std::move(likelihood), prior_variance),
        parameters_(std::move(parameters)) {}
  std::vector<Parameter> parameters() const override { return parameters_; }

 private:
  std::vector<Parameter> parameters_;
};

template <class Link>
std::shared_ptr<Model> Posterior<Link>::with_data_at(ConstBatch theta, const Stream& stream,
                                                     Address at) const {
  const Eigen::VectorXd z = likelihood_.margins(theta.data());
  Eigen::MatrixXd uniforms(z.size(), 1);
  stream.uniforms(at, uniforms);
  std::vector<bool> flip(static_cast<std::size_t>(z.size()));
  for (Index n = 0; n < z.size(); ++n)
    flip[static_cast<std::size_t>(n)] = uniforms(n, 0) > Link::probability(z[n]);
  return std::make_shared<Relabelled<Link>>(likelihood_.relabelled(flip), prior_variance_,
                                            parameters());
}

}  // namespace mixwell::regression
