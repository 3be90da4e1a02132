// Code that posteriors of binary regressions share: prior, metric, sum of terms, blocks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "labelled_data.hpp"
#include "likelihood.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mixwell::regression {

/// U as a function of the coefficients x: z = S_x x + S_rest rest. The cache of a column is S_rest
/// rest, one number for each case, and the prior of the rest.
template <class Link>
class Conditional final : public ConditionalPotential {
 public:
  /// `whole` must outlive this object.
  Conditional(const Likelihood<Link>& whole, double prior_variance,
              const std::vector<Index>& coordinates)
      : whole_(whole),
        own_(whole.of_columns(coordinates)),
        prior_variance_(prior_variance),
        coordinates_(coordinates) {}

  Index cache_rows() const noexcept override { return own_.padded_cases() + 1; }

  /// N d multiplications and additions for each column.
  void prepare(ConstBatch theta, Batch caches, Workspace& scratch) const override {
    const Workspace::Frame frame(scratch);
    MatrixMap rest = scratch.matrix(theta.rows(), theta.cols());
    MatrixMap margins = scratch.matrix(own_.padded_cases(), theta.cols());
    rest = theta;
    for (const Index c : coordinates_) rest.row(c).setZero();
    whole_.margins(rest, margins);
    caches.topRows(margins.rows()) = margins;
    caches.bottomRows(1) = (0.5 / prior_variance_) * rest.colwise().squaredNorm();
  }

  /// 4 N b multiplications and additions for each column, half as many for U only, and N weights.
  void evaluate(const ConditionalCaches& caches, ConstBatch x,
                const Evaluation& out) const override {
    Batch gradient = out.gradient;
    if (out.wants_gradient()) gradient = x / prior_variance_;
    if (out.wants_potential()) {
      out.u() = (0.5 / prior_variance_) * x.colwise().squaredNorm();
      for (Index j = 0; j < x.cols(); ++j) out.u()(j) += caches.column(j)[own_.padded_cases()];
    }
    own_.add_shifted(x, caches, out);
  }

 private:
  const Likelihood<Link>& whole_;
  Likelihood<Link> own_;
  double prior_variance_;
  std::vector<Index> coordinates_;
};

/// Replaces each z = x theta by the probability of the positive label.
using Probability = void (*)(Batch z);

/// The model's predictions for the rows of a test table.
class TestSet final : public Prediction {
 public:
  TestSet(Cases cases, Probability probability)
      : cases_(std::move(cases)), probability_(probability) {}

  Index cases() const override { return cases_.x.rows(); }
  void predict(ConstBatch theta, Batch out) const override {
    out.noalias() = cases_.x * theta;
    if (cases_.numbers.offset.size() > 0) out.colwise() += cases_.numbers.offset;
    probability_(out);
  }
  double error(const Eigen::VectorXd& probability) const override {
    Index wrong = 0;
    for (Index n = 0; n < cases(); ++n)
      wrong += (probability[n] > 0.5) != cases_.positive[static_cast<std::size_t>(n)];
    return static_cast<double>(wrong) / static_cast<double>(cases());
  }

 private:
  Cases cases_;
  Probability probability_;
};

/// U(theta) = sum_n -w_n log F(s_n (x_n theta + o_n)) + |theta|^2 / (2 prior_variance), where
/// `Link` defines F.
template <class Link>
class Posterior : public Model,
                  public Prior,
                  public GaussianPrior,
                  public DataDraws,
                  public Metric,
                  public SumOfTerms,
                  public Generated {
 public:
  std::vector<Parameter> parameters() const override { return coefficients_.parameters; }
  std::vector<Labels> labels() const override { return coefficients_.labels; }
  std::vector<std::string> remarks() const override { return remarks_; }
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
  /// Writes w_n log F(s_n (x_n theta + o_n)), then labels drawn as in with_data_at. Takes N d
  /// multiplications and additions, N logarithms and N uniforms for each column.
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

  std::vector<std::string> gaussian_parameters() const override {
    return names_of(coefficients_.parameters);
  }
  void prior_mean(ConstBatch, Batch out) const override { out.setZero(); }
  void prior_factor(ConstBatch, ConstBatch z, Batch out, Workspace&) const override {
    out = std::sqrt(prior_variance_) * z;
  }
  /// 2 N d multiplications and additions and N weights for each column.
  void likelihood_potential(ConstBatch theta, Row out, Workspace& scratch) const override {
    out.setZero();
    likelihood_.add_to(theta, Evaluation::of_potential(out.data(), theta, scratch));
  }

  /// Draws labels at the given inputs: the label of case n is exchanged if uniform n is above F(s_n
  /// (x_n theta + o_n)). The result has no derived quantities and no test set.
  std::shared_ptr<Model> with_data_at(ConstBatch theta, const Stream& stream,
                                      Address at) const override {
    const Index N = likelihood_.cases();
    Eigen::VectorXd z(N);
    likelihood_.margins(theta.data(), {z.data(), N});
    Eigen::MatrixXd uniforms(N, 1);
    stream.uniforms(at, uniforms);
    std::vector<bool> flip;
    for (Index n = 0; n < N; ++n) flip.push_back(uniforms(n, 0) > Link::probability(z[n]));
    return std::shared_ptr<Model>(new Posterior(*this, flip));
  }

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
  /// G is the Hessian of a function, so its derivative is symmetric in all indices.
  void contract_crosswise(ConstBatch theta, ConstBatch W, Batch out,
                          Workspace& scratch) const override {
    contract_derivative(theta, W, out, scratch);
  }

  /// Only for a block of at most two thirds of the coefficients. For a larger block, two
  /// evaluations and the cache would take longer than two evaluations of the whole U.
  std::shared_ptr<const ConditionalPotential> conditional_potential(
      const std::vector<Index>& coordinates) const override {
    if (3 * std::ssize(coordinates) > 2 * dimension()) return nullptr;
    return std::make_shared<Conditional<Link>>(likelihood_, prior_variance_, coordinates);
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
    // Cases with weights do not come from a distribution of data.
    offer.set<DataDraws>(likelihood_.has_weights() ? nullptr : this);
    offer.set<Prediction>(test_.get());
  }
  /// `source`: where the test cases are, if there are any.
  Posterior(const LabelledData& data, const Source& source, double prior_variance)
      : coefficients_(data.coefficients),
        remarks_(data.remarks),
        likelihood_(data.cases.x, data.cases.positive, data.cases.numbers),
        positive_(data.cases.positive),
        response_(data.response),
        prior_variance_(prior_variance),
        constant_(regression::constant_data(data.cases.numbers)) {
    if (source.test)
      test_ = std::make_shared<const TestSet>(
          data.design.cases(test_table(source, data.table, remarks_)), &Link::to_probabilities);
  }

  void add_remarks(const std::vector<std::string>& more) {
    remarks_.insert(remarks_.end(), more.begin(), more.end());
  }

 private:
  /// The same model with other labels: the label of case n is exchanged if flip[n].
  Posterior(const Posterior& of, const std::vector<bool>& flip)
      : coefficients_(of.coefficients_),
        likelihood_(of.likelihood_.relabelled(flip)),
        response_(of.response_),
        prior_variance_(of.prior_variance_) {
    for (std::size_t n = 0; n < flip.size(); ++n) positive_.push_back(of.positive_[n] != flip[n]);
  }

  bool evaluates_potential_alone() const noexcept override { return true; }
  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    evaluate_rest(theta, out);
    likelihood_.add_to(theta, out);
  }

  Coefficients coefficients_;
  std::vector<std::string> remarks_;
  Likelihood<Link> likelihood_;
  std::vector<bool> positive_;
  std::string response_;
  double prior_variance_;
  std::vector<NamedValues> constant_;
  std::shared_ptr<const TestSet> test_;
};

}  // namespace mixwell::regression
