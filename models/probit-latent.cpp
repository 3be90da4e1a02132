// Model `probit-latent`: probit regression with the latent normal variables as parameters.
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

/// Rows of the position: the p coefficients beta, then z_n of each case.
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
  /// The density is a Gaussian that is cut off where a z_n changes its sign.
  GradientGrowth gradient_growth() const noexcept override { return GradientGrowth::singular; }

  void draw(const Stream& stream, Address at, Batch theta) const override {
    stream.normals(at, theta);
    for (Index j = 0; j < theta.cols(); ++j) {
      auto column = theta.col(j);
      column.head(p()) *= std::sqrt(prior_variance_);
      column.tail(x_.rows()) += x_ * column.head(p());
    }
  }

  /// The new labels are the signs of the latent variables.
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
  /// Writes log Phi(s_n x_n beta), s_n = -1 for the negative label, because given z_n a label has
  /// probability 0 or 1. Then draws labels from Phi(x_n beta), independently of `latent`. Takes N p
  /// multiplications and additions, N uniforms and 2 N distribution functions for each column.
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
  /// For each column: p^2 + N p multiplications and additions for coefficients; N p and N draws for
  /// latent.
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

  /// Only the coefficients have a Gaussian prior.
  std::vector<std::string> gaussian_parameters() const override {
    return regression::names_of(coefficients_);
  }
  void prior_mean(ConstBatch, Batch out) const override { out.setZero(); }
  void prior_factor(ConstBatch, ConstBatch z, Batch out, Workspace&) const override {
    out = std::sqrt(prior_variance_) * z;
  }
  /// |z - X beta|^2 / 2: N p multiplications and additions for each column.
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

  /// z_n ~ N(x_n beta, 1), restricted to the side of 0 that its label requires.
  void draw_latent(RandomNumbers& random, MatrixMap column, Workspace& scratch) const {
    MatrixMap mean = scratch.matrix(x_.rows(), 1);
    mean.noalias() = x_ * column.topRows(p());
    for (Index n = 0; n < x_.rows(); ++n) {
      const bool up = positive_[static_cast<std::size_t>(n)];
      column(p() + n, 0) =
          draw_truncated_normal(random, mean(n, 0), 1.0, up ? 0.0 : -infinity, up ? infinity : 0.0);
    }
  }

  /// U = |z - X beta|^2 / 2 + |beta|^2 / (2 prior_variance), infinite if a z_n does not have the
  /// sign of its label. Takes 2 N p multiplications and additions for each column, and as many for
  /// the gradient.
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

  /// Coefficients uniform on (-2, 2), latent variables with the sign of their labels.
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
       .summary = "Bayesian probit regression with the latent normal variables as parameters",
       .details =
           "z_n ~ N(x_n beta, 1), the label is positive if z_n > 0, beta_j ~ N(0, prior_variance): "
           "U = |z - X beta|^2 / 2 + |beta|^2 / (2 prior_variance), infinite if a z_n does not "
           "have the sign of its label. The posterior of the coefficients is the same as in the "
           "model `probit-regression` without offsets and weights. Both models make rows and "
           "simulate cases in the same way. A run also records z as `latent`.\n"
           "The kernel `conditional` draws all coefficients together given `latent`, and `latent` "
           "given the coefficients. Gradient-based kernels can sample the coefficients, but not "
           "the latent variables, because these have bounds. The coefficients have a Gaussian "
           "prior, so the kernels `elliptical-slice` and `pcn` can sample them too.\n"
           "For each case, a run can record the log probability of the label given beta, and a "
           "label drawn given beta (see the key `run.predictive`). z_n is integrated out of this "
           "probability, because z_n determines the label. If a case is left out in "
           "cross-validation, its z_n is left out too.",
       .sources = {"Albert & Chib 1993, J. Am. Stat. Ass. 88, 669-679"}});
}
