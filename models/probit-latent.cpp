// Model `probit-latent`: probit regression with the normal variables behind the labels.
// SPDX-License-Identifier: Apache-2.0
#include "probit-regression/cases.hpp"
#include "probit-regression/likelihood.hpp"

#include <mixwell/plugin.hpp>

#include <Eigen/Cholesky>

#include <cmath>
#include <limits>
#include <memory>

namespace mixwell::probit {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Coordinates: the coefficients beta (p of them), then z_n of each case.
class ProbitLatent final : public Model,
                           public Prior,
                           public DataDraws,
                           public ConditionalDraws,
                           public GaussianPrior,
                           public Generated {
 public:
  struct Params : CaseParams {
    double prior_variance = 100;

    void declare(Fields& fields) {
      declare_data(fields);
      declare_response(fields, source);
      declare_classes(fields, source.classes);
      declare_inputs(fields, source);
      regression::csv_only(fields, regression::declare_missing(fields, source.missing));
      declare_scale(fields, recipe);
      regression::declare_prior(fields, prior_variance);
      simulation.declare(fields);
    }
  };

  explicit ProbitLatent(const Params& params)
      : ProbitLatent(params.prior_variance, make_cases(params)) {}

  ProbitLatent(double prior_variance, const regression::LabelledData& data)
      : prior_variance_(prior_variance),
        x_(data.cases.x),
        positive_(data.cases.positive),
        coefficients_(data.coefficients.parameters),
        labels_(data.coefficients.labels),
        remarks_(data.remarks),
        response_(data.response) {
    MatrixXd precision = x_.transpose() * x_;
    precision.diagonal().array() += 1.0 / prior_variance_;
    factor_.compute(precision);
  }

  std::vector<Parameter> parameters() const override {
    std::vector<Parameter> all = coefficients_;
    all.push_back({.name = "latent", .shape = {x_.rows()}});
    return all;
  }
  std::vector<Labels> labels() const override { return labels_; }
  std::vector<std::string> remarks() const override { return remarks_; }
  /// A Gaussian that ends where a z_n changes its sign.
  GradientGrowth gradient_growth() const noexcept override { return GradientGrowth::singular; }

  void draw(const Stream& stream, Address at, Batch theta) const override {
    stream.normals(at, theta);
    for (Index j = 0; j < theta.cols(); ++j) {
      auto column = theta.col(j);
      column.head(p()) *= std::sqrt(prior_variance_);
      column.tail(x_.rows()) += x_ * column.head(p());
    }
  }

  /// Labels are the signs of the latent variables.
  std::shared_ptr<Model> with_data_at(ConstBatch theta, const Stream&, Address) const override {
    auto model = std::make_shared<ProbitLatent>(*this, theta.col(0).tail(x_.rows()));
    model->set_name(name());
    return model;
  }
  ProbitLatent(const ProbitLatent& other, const VectorXd& latent)
      : prior_variance_(other.prior_variance_),
        x_(other.x_),
        coefficients_(other.coefficients_),
        labels_(other.labels_),
        remarks_(other.remarks_),
        response_(other.response_),
        factor_(other.factor_) {
    for (const double z : latent) positive_.push_back(z > 0.0);
  }

  std::vector<NamedValues> observed_data() const override {
    return {
        {.name = response_, .shape = {x_.rows()}, .values = {positive_.begin(), positive_.end()}}};
  }
  std::vector<Parameter> generated() const override {
    const std::vector<Index> shape = {x_.rows()};
    return {{.name = response_, .shape = shape, .group = RecordGroup::log_likelihood},
            {.name = response_, .shape = shape, .group = RecordGroup::posterior_predictive}};
  }
  /// log Phi(s_n x_n beta), s_n = -1 for the negative label: given its z_n a label has no
  /// probability but 0 or 1. Then labels from Phi(x_n beta), whatever `latent` is. N p
  /// multiplications and additions a column, N uniforms and 2 N distribution functions.
  void generate(ConstBatch theta, const Stream& stream, Address at, Batch out) const override {
    auto z = out.topRows(x_.rows());
    auto label = out.bottomRows(x_.rows());
    stream.uniforms(at, label);
    z.noalias() = x_ * theta.topRows(p());
    for (Index j = 0; j < theta.cols(); ++j) {
      for (Index n = 0; n < x_.rows(); ++n) {
        label(n, j) = label(n, j) <= Link::probability(z(n, j)) ? 1.0 : 0.0;
        const bool up = positive_[static_cast<std::size_t>(n)];
        z(n, j) = Link::log_probability(up ? z(n, j) : -z(n, j));
      }
    }
  }

  std::vector<std::vector<std::string>> conditionals() const override {
    return {regression::names_of(coefficients_), {"latent"}};
  }
  /// Coefficients: p^2 + N p multiplications and additions a column; latent: N p and N draws.
  void draw_conditional(std::size_t which, const Stream& stream, Address at, Batch theta,
                        Workspace& scratch) const override {
    for (Index j = 0; j < theta.cols(); ++j) {
      RandomNumbers random(stream,
                           {at.sweep, at.draw, at.replicate + static_cast<std::uint64_t>(j)});
      const Workspace::Frame frame(scratch);
      MatrixMap column(theta.data() + j * theta.rows(), theta.rows(), 1);
      if (which == 0) draw_coefficients(random, column, scratch);
      if (which == 1) draw_latent(random, column, scratch);
    }
  }

  /// Of the coefficients.
  std::vector<std::string> gaussian_parameters() const override {
    return regression::names_of(coefficients_);
  }
  void prior_mean(ConstBatch, Batch out) const override { out.setZero(); }
  void prior_factor(ConstBatch, ConstBatch z, Batch out, Workspace&) const override {
    out = std::sqrt(prior_variance_) * z;
  }
  /// |z - X beta|^2 / 2: N p multiplications and additions a column.
  void likelihood_potential(ConstBatch theta, Row out, Workspace& scratch) const override {
    const Workspace::Frame frame(scratch);
    MatrixMap off = scratch.matrix(x_.rows(), theta.cols());
    off = theta.bottomRows(x_.rows());
    off.noalias() -= x_ * theta.topRows(p());
    out = 0.5 * off.colwise().squaredNorm();
  }

 private:
  Index p() const noexcept { return x_.cols(); }

  /// beta ~ N(V X'z, V), V = (X'X + I / prior_variance)^-1.
  void draw_coefficients(RandomNumbers& random, MatrixMap column, Workspace& scratch) const {
    MatrixMap noise = scratch.matrix(p(), 1);
    for (Index i = 0; i < p(); ++i) noise(i, 0) = random.normal();
    factor_.matrixU().solveInPlace(noise);
    auto beta = column.topRows(p());
    beta.noalias() = x_.transpose() * column.bottomRows(x_.rows());
    factor_.solveInPlace(beta);
    beta += noise;
  }

  /// z_n ~ N(x_n beta, 1) on its side of 0.
  void draw_latent(RandomNumbers& random, MatrixMap column, Workspace& scratch) const {
    MatrixMap mean = scratch.matrix(x_.rows(), 1);
    mean.noalias() = x_ * column.topRows(p());
    for (Index n = 0; n < x_.rows(); ++n) {
      const bool up = positive_[static_cast<std::size_t>(n)];
      column(p() + n, 0) =
          draw_truncated_normal(random, mean(n, 0), 1.0, up ? 0.0 : -infinity, up ? infinity : 0.0);
    }
  }

  /// U = |z - X beta|^2 / 2 + |beta|^2 / (2 prior_variance), infinite where a z_n is not on its
  /// label's side. 2 N p multiplications and additions a column, and as many for the gradient.
  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    const Workspace::Frame frame(out.scratch);
    const Index N = x_.rows();
    MatrixMap off = out.scratch.matrix(N, theta.cols());
    off.noalias() = -x_ * theta.topRows(p());
    off += theta.bottomRows(N);
    if (out.wants_potential()) {
      out.u() = 0.5 * off.colwise().squaredNorm() +
                0.5 / prior_variance_ * theta.topRows(p()).colwise().squaredNorm();
      for (Index j = 0; j < theta.cols(); ++j) {
        if (!is_possible(theta.col(j).tail(N))) out.u()(j) = infinity;
      }
    }
    if (!out.wants_gradient()) return;
    Batch g = out.gradient;
    g.bottomRows(N) = off;
    g.topRows(p()) = theta.topRows(p()) / prior_variance_;
    g.topRows(p()).noalias() -= x_.transpose() * off;
  }
  bool evaluates_potential_alone() const noexcept override { return true; }

  bool is_possible(const Eigen::Ref<const VectorXd>& latent) const {
    for (Index n = 0; n < latent.size(); ++n) {
      if ((latent(n) > 0.0) != positive_[static_cast<std::size_t>(n)]) return false;
    }
    return true;
  }

  /// Coefficients uniform on (-2, 2), latent variables with their label's sign.
  void do_initial(const Stream& stream, Address at, Batch theta) const override {
    Model::do_initial(stream, at, theta);
    for (Index n = 0; n < x_.rows(); ++n) {
      const double sign = positive_[static_cast<std::size_t>(n)] ? 1.0 : -1.0;
      theta.row(p() + n) = sign * theta.row(p() + n).cwiseAbs();
    }
  }

  double prior_variance_;
  MatrixXd x_;  ///< N x p
  std::vector<bool> positive_;
  std::vector<Parameter> coefficients_;
  std::vector<Labels> labels_;
  std::vector<std::string> remarks_;
  std::string response_;         ///< name of the labels in results
  Eigen::LLT<MatrixXd> factor_;  ///< of X'X + I / prior_variance
};

}  // namespace
}  // namespace mixwell::probit

MIXWELL_PLUGIN(registrar) {
  registrar.add<mixwell::probit::ProbitLatent>(
      {.id = "probit-latent",
       .summary = "Bayesian probit regression with the normal variables behind the labels",
       .details =
           "z_n ~ N(x_n beta, 1), positive where z_n > 0, beta_j ~ N(0, prior_variance): U = |z - "
           "X beta|^2 / 2 + |beta|^2 / (2 prior_variance), infinite where a z_n is not on its "
           "label's side. The coefficients have the posterior of `probit-regression` "
           "without offsets and weights, with its rows and simulated cases; beside them `latent` "
           "is "
           "recorded.\n"
           "Kernel `conditional` draws all coefficients together given `latent`, and `latent` "
           "given them. A kernel with a gradient serves the coefficients, which have a Gaussian "
           "prior; latent variables have bounds.\n"
           "Recorded of cases (run.predictive): the log probability of the label given beta, with "
           "z_n integrated out, for given z_n the label is certain, and leaving a case out means "
           "leaving its z_n out; and labels drawn anew given beta.",
       .sources = {"Albert & Chib 1993, J. Am. Stat. Ass. 88, 669-679"}});
}
