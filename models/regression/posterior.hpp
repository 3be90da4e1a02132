// What the posteriors of regressions on two labels share: prior, metric and sum of terms.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "block.hpp"
#include "coefficients.hpp"
#include "labelled_design.hpp"
#include "likelihood.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mixwell::regression {

/// U(theta) = sum_n -w_n log F(s_n (x_n theta + o_n)) + |theta|^2 / (2 prior_variance), F as `Link`
/// tells it.
template <class Link>
class Posterior : public Model,
                  public Prior,
                  public GaussianPrior,
                  public DataDraws,
                  public Metric,
                  public SumOfTerms,
                  public Generated {
 public:
  GradientGrowth gradient_growth() const noexcept override { return GradientGrowth::lipschitz; }

  void draw(const Stream& stream, Address at, Batch theta) const override {
    stream.normals(at, theta);
    theta *= std::sqrt(prior_variance_);
  }

  std::vector<NamedValues> observed_data() const override {
    return {{.name = response_,
             .shape = {likelihood_.cases()},
             .values = {positive_.begin(), positive_.end()}}};
  }
  std::vector<NamedValues> constant_data() const override { return constant_; }
  std::vector<Parameter> generated() const override {
    const std::vector<Index> shape = {likelihood_.cases()};
    return {{.name = response_, .shape = shape, .group = RecordGroup::log_likelihood},
            {.name = response_, .shape = shape, .group = RecordGroup::posterior_predictive}};
  }
  /// w_n log F(s_n (x_n theta + o_n)), then labels as of with_data_at: N d multiplications and
  /// additions a column, N logarithms and N uniforms.
  void generate(ConstBatch theta, const Stream& stream, Address at, Batch out) const override {
    const Index N = likelihood_.cases();
    stream.uniforms(at, out.bottomRows(N));
    for (Index j = 0; j < theta.cols(); ++j) {
      auto z = out.col(j).head(N);
      likelihood_.margins(theta.col(j).data(), {out.col(j).data(), N});
      auto label = out.col(j).tail(N);
      for (Index n = 0; n < N; ++n) {
        const bool flips = label[n] > Link::probability(z[n]);
        label[n] = positive_[static_cast<std::size_t>(n)] != flips ? 1.0 : 0.0;
        z[n] = likelihood_.weight(n) * Link::log_probability(z[n]);
      }
    }
  }

  std::vector<std::string> gaussian_parameters() const override { return names_of(parameters()); }
  void prior_mean(ConstBatch, Batch out) const override { out.setZero(); }
  void prior_factor(ConstBatch, ConstBatch z, Batch out, Workspace&) const override {
    out = std::sqrt(prior_variance_) * z;
  }
  /// 2 N d multiplications and additions a column, and N weights.
  void likelihood_potential(ConstBatch theta, Row out, Workspace& scratch) const override {
    out.setZero();
    likelihood_.add_to(theta, Evaluation::of_potential(out.data(), theta, scratch));
  }

  /// Labels are drawn at the inputs that are there: that of case n is the other one where uniform n
  /// lies above F(s_n (x_n theta + o_n)). Without derived quantities and test set.
  std::shared_ptr<Model> with_data_at(ConstBatch theta, const Stream& stream,
                                      Address at) const override;

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

  /// For a block of at most two thirds of the coefficients: of more, two evaluations would take
  /// longer than two of the whole U, with the cache.
  std::shared_ptr<const BlockPotential> block_potential(
      const std::vector<Index>& coordinates) const override {
    if (3 * std::ssize(coordinates) > 2 * dimension()) return nullptr;
    return std::make_shared<Block<Link>>(likelihood_, prior_variance_, coordinates);
  }

  Index terms() const noexcept override { return likelihood_.cases(); }
  bool rest_is_prior() const noexcept override { return true; }
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
  void offer(Offer& offer) const noexcept override {
    // Cases with weights come from no distribution of data.
    offer.set<DataDraws>(likelihood_.has_weights() ? nullptr : this);
  }
  /// `response`: the name of the labels in results.
  Posterior(const Cases& cases, std::string response, double prior_variance)
      : Posterior(Likelihood<Link>(cases.x, cases.positive, cases.numbers), cases.positive,
                  std::move(response), prior_variance) {
    constant_ = regression::constant_data(cases.numbers);
  }
  Posterior(Likelihood<Link> likelihood, std::vector<bool> positive, std::string response,
            double prior_variance)
      : likelihood_(std::move(likelihood)),
        positive_(std::move(positive)),
        response_(std::move(response)),
        prior_variance_(prior_variance) {}

 private:
  bool evaluates_potential_alone() const noexcept override { return true; }
  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    evaluate_rest(theta, out);
    likelihood_.add_to(theta, out);
  }

  Likelihood<Link> likelihood_;
  std::vector<bool> positive_;
  std::string response_;
  double prior_variance_;
  std::vector<NamedValues> constant_;
};

/// The posterior of labels that were drawn.
template <class Link>
class Relabelled final : public Posterior<Link> {
 public:
  Relabelled(Likelihood<Link> likelihood, std::vector<bool> positive, std::string response,
             double prior_variance, std::vector<Parameter> parameters)
      : Posterior<Link>(std::move(likelihood), std::move(positive), std::move(response),
                        prior_variance),
        parameters_(std::move(parameters)) {}
  std::vector<Parameter> parameters() const override { return parameters_; }

 private:
  std::vector<Parameter> parameters_;
};

template <class Link>
std::shared_ptr<Model> Posterior<Link>::with_data_at(ConstBatch theta, const Stream& stream,
                                                     Address at) const {
  const Index N = likelihood_.cases();
  Eigen::VectorXd z(N);
  likelihood_.margins(theta.data(), {z.data(), N});
  Eigen::MatrixXd uniforms(N, 1);
  stream.uniforms(at, uniforms);
  std::vector<bool> flip(static_cast<std::size_t>(N));
  std::vector<bool> positive = positive_;
  for (std::size_t n = 0; n < flip.size(); ++n) {
    const auto row = static_cast<Index>(n);
    flip[n] = uniforms(row, 0) > Link::probability(z[row]);
    positive[n] = positive[n] != flip[n];
  }
  return std::make_shared<Relabelled<Link>>(likelihood_.relabelled(flip), std::move(positive),
                                            response_, prior_variance_, parameters());
}

}  // namespace mixwell::regression
