// Model `labelled-mixture`: a normal mixture in which the label of each case is a parameter.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

#include <cmath>
#include <limits>
#include <memory>

namespace {

using namespace mixwell;

using Eigen::VectorXd;

/// Rows of the position: the K means, then the label of each case.
class LabelledMixture final : public Model,
                              public Prior,
                              public DataDraws,
                              public ConditionalDraws,
                              public GaussianPrior {
 public:
  struct Params {
    std::vector<double> values;
    std::vector<double> weights;
    double sd = 1.0;
    double prior_mean = 0.0;
    double prior_sd = 3.0;

    void declare(Fields& fields) {
      fields.numbers("values", values).required().help("y_n, one for each case");
      fields.numbers("weights", weights)
          .required()
          .above(0)
          .help("weights of the K components; only their ratios matter");
      fields.number("sd", sd).above(0).help("standard deviation of y_n about its component's mean");
      fields.number("prior_mean", prior_mean)
          .help("mean of the prior N(prior_mean, prior_sd^2) of each component mean");
      fields.number("prior_sd", prior_sd)
          .above(0)
          .help("standard deviation of the prior of each component mean");
    }
  };

  explicit LabelledMixture(const Params& params)
      : params_(params), y_(VectorXd::Map(params.values.data(), std::ssize(params.values))) {
    if (params.weights.size() < 2)
      throw ParameterError("weights", "must have at least two components");
    log_weights_ = VectorXd::Map(params.weights.data(), std::ssize(params.weights)).array().log();
    log_weights_.array() -= std::log(log_weights_.array().exp().sum());
    precision_ = 1.0 / (params.sd * params.sd);
    prior_precision_ = 1.0 / (params.prior_sd * params.prior_sd);
  }

  std::vector<Parameter> parameters() const override {
    Parameter label{.name = "label", .shape = {cases()}};
    label.whole = WholeNumbers{0, components() - 1};
    return {{.name = "mean", .shape = {components()}}, label};
  }

  /// Draws from the prior: means, and labels with their weights.
  void draw(const Stream& stream, Address at, Batch theta) const override {
    VectorXd weights(components());
    each_column(stream, at, theta, [&](RandomNumbers& random, double* x) {
      for (Index k = 0; k < components(); ++k) {
        x[k] = params_.prior_mean + params_.prior_sd * random.normal();
      }
      for (Index n = 0; n < cases(); ++n) {
        weights = log_weights_;
        x[components() + n] = static_cast<double>(draw_categorical(random, weights));
      }
    });
  }

  std::shared_ptr<Model> with_data_at(ConstBatch theta, const Stream& stream,
                                      Address at) const override {
    Params drawn = params_;
    Eigen::MatrixXd z(cases(), 1);
    stream.normals(at, z);
    for (Index n = 0; n < cases(); ++n) {
      const auto label = static_cast<Index>(theta(components() + n, 0));
      drawn.values[static_cast<std::size_t>(n)] = theta(label, 0) + params_.sd * z(n, 0);
    }
    auto model = std::make_shared<LabelledMixture>(drawn);
    model->set_name(name());
    return model;
  }

  std::vector<std::vector<std::string>> conditionals() const override {
    return {{"mean"}, {"label"}};
  }
  /// O(N + K) for means and O(N K) for labels, for each column.
  void draw_conditional(std::size_t which, const Stream& stream, Address at, Batch theta,
                        Workspace& scratch) const override {
    const Workspace::Frame frame(scratch);
    MatrixMap numbers = scratch.matrix(2 * components(), 1);
    each_column(stream, at, theta, [&](RandomNumbers& random, double* x) {
      if (which == 0) draw_means(random, x, numbers);
      if (which == 1) draw_labels(random, x, numbers);
    });
  }

  std::vector<std::string> gaussian_parameters() const override { return {"mean"}; }
  void prior_mean(ConstBatch, Batch out) const override { out.setConstant(params_.prior_mean); }
  void prior_factor(ConstBatch, ConstBatch z, Batch out, Workspace&) const override {
    out = params_.prior_sd * z;
  }
  /// sum_n (y_n - mean of the label of n)^2 / (2 sd^2).
  void likelihood_potential(ConstBatch theta, Row out, Workspace&) const override {
    for (Index j = 0; j < theta.cols(); ++j) out(j) = misfit(theta.col(j).data());
  }

 private:
  Index components() const noexcept { return log_weights_.size(); }
  Index cases() const noexcept { return y_.size(); }

  double misfit(const double* x) const {
    double sum = 0.0;
    for (Index n = 0; n < cases(); ++n) {
      const double off = y_(n) - x[static_cast<Index>(x[components() + n])];
      sum += 0.5 * precision_ * off * off;
    }
    return sum;
  }

  void draw_means(RandomNumbers& random, double* x, MatrixMap& numbers) const {
    auto precision = numbers.col(0).head(components());
    auto sum = numbers.col(0).tail(components());
    precision.setConstant(prior_precision_);
    sum.setConstant(prior_precision_ * params_.prior_mean);
    for (Index n = 0; n < cases(); ++n) {
      const auto label = static_cast<Index>(x[components() + n]);
      precision(label) += precision_;
      sum(label) += precision_ * y_(n);
    }
    for (Index k = 0; k < components(); ++k) {
      x[k] = sum(k) / precision(k) + random.normal() / std::sqrt(precision(k));
    }
  }

  void draw_labels(RandomNumbers& random, double* x, MatrixMap& numbers) const {
    for (Index n = 0; n < cases(); ++n) {
      auto weights = numbers.col(0).head(components());
      for (Index k = 0; k < components(); ++k) {
        const double off = y_(n) - x[k];
        weights(k) = log_weights_(k) - 0.5 * precision_ * off * off;
      }
      x[components() + n] = static_cast<double>(draw_categorical(random, weights));
    }
  }

  bool is_label(double z) const {
    return z >= 0.0 && z < static_cast<double>(components()) && z == std::floor(z);
  }

  /// U = sum_n (y_n - mean_{z_n})^2 / (2 sd^2) - log w_{z_n} + sum_k (mean_k - m)^2 / (2 s^2),
  /// infinite if a label is not a whole number from 0 to K - 1. O(N + K) for each column.
  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    Batch g = out.gradient;
    for (Index j = 0; j < theta.cols(); ++j) {
      double u = 0.0;
      for (Index k = 0; k < theta.rows() && out.wants_gradient(); ++k) {
        const double off = theta(k, j) - params_.prior_mean;
        g(k, j) = k < components() ? prior_precision_ * off : 0.0;
      }
      for (Index k = 0; k < components(); ++k) {
        const double off = theta(k, j) - params_.prior_mean;
        u += 0.5 * prior_precision_ * off * off;
      }
      for (Index n = 0; n < cases(); ++n) {
        const double z = theta(components() + n, j);
        if (!is_label(z)) {
          u = std::numeric_limits<double>::infinity();
          continue;
        }
        const auto label = static_cast<Index>(z);
        const double off = theta(label, j) - y_(n);
        u += 0.5 * precision_ * off * off - log_weights_(label);
        if (out.wants_gradient()) g(label, j) += precision_ * off;
      }
      if (out.wants_potential()) out.u()(j) = u;
    }
  }
  bool evaluates_potential_alone() const noexcept override { return true; }

  Params params_;
  VectorXd y_;
  VectorXd log_weights_;
  double precision_ = 1.0;
  double prior_precision_ = 1.0;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<LabelledMixture>(
      {.id = "labelled-mixture",
       .summary = "A normal mixture in which the label of each case is a parameter",
       .details = "y_n ~ N(mean_{z_n}, sd^2), P(z_n = k) = w_k = weights[k] / (sum of weights), "
                  "mean_k ~ N(prior_mean, prior_sd^2): U = sum_n ((y_n - mean_{z_n})^2 / (2 sd^2) "
                  "- log w_{z_n}) + sum_k (mean_k - prior_mean)^2 / (2 prior_sd^2). The labels are "
                  "whole numbers 0, ..., K - 1. An evaluation takes O(N + K) operations.\n"
                  "The kernel `conditional` draws all means, or all labels, given the rest. The "
                  "kernel `gibbs` moves labels one by one. The means have a Gaussian prior, so the "
                  "kernels `elliptical-slice` and `pcn` can sample them.",
       .sources = {"Diebolt & Robert 1994, J. R. Stat. Soc. B 56, 363-375"}});
}
