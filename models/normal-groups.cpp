// Model `normal-groups`: means of groups around a common mean, as in the eight schools example.
// SPDX-License-Identifier: Apache-2.0
#include "normal-groups/conditional.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

namespace mixwell::normal_groups {
namespace {

using Eigen::VectorXd;

/// The conditionals that the model can draw, in the order of conditionals().
enum Conditional : std::size_t { of_mu, of_tau, of_theta, of_mu_and_theta };

class NormalGroups final : public Model,
                           public Prior,
                           public DataDraws,
                           public ConditionalDraws,
                           public MarginalLaws,
                           public GaussianPrior,
                           public Generated {
 public:
  struct Params {
    std::vector<double> values;
    std::vector<double> sds;
    double prior_mean = 0.0;
    double prior_sd = 10.0;
    double tau_shape = 1.0;
    double tau_scale = 25.0;

    void declare(Fields& fields) {
      fields.numbers("values", values).required().help("y_j, the measurement of each group");
      fields.numbers("sds", sds)
          .required()
          .above(0)
          .help("sigma_j, standard deviation of y_j about the mean theta_j of its group");
      fields.number("prior_mean", prior_mean)
          .help("mean of the prior mu ~ N(prior_mean, prior_sd^2)");
      fields.number("prior_sd", prior_sd).above(0).help("standard deviation of mu's prior");
      fields.number("tau_shape", tau_shape)
          .above(0)
          .help(
              "shape a of the inverse-gamma prior of tau^2: density proportional to (tau^2)^(-a-1) "
              "exp(-b / tau^2)");
      fields.number("tau_scale", tau_scale)
          .above(0)
          .help("scale b of the inverse-gamma prior of tau^2 (see tau_shape)");
    }
  };

  explicit NormalGroups(const Params& params) : params_(params) {
    if (params.values.size() != params.sds.size()) {
      throw ParameterError("sds", "must have as many numbers as `values` (" +
                                      std::to_string(params.values.size()) + "), but has " +
                                      std::to_string(params.sds.size()));
    }
    target_.y = VectorXd::Map(params.values.data(), std::ssize(params.values));
    target_.precision = VectorXd::Map(params.sds.data(), groups()).cwiseInverse().cwiseAbs2();
    target_.prior_mean = params.prior_mean;
    target_.prior_precision = 1.0 / (params.prior_sd * params.prior_sd);
    target_.tau_shape = params.tau_shape;
    target_.tau_scale = params.tau_scale;
  }

  std::vector<Parameter> parameters() const override {
    return {{.name = "mu", .shape = {}},
            {.name = "tau", .shape = {}, .constraint = Constraint::positive()},
            {.name = "theta", .shape = {groups()}}};
  }
  /// U contains exp(-2 log tau), so the gradient is unbounded towards tau = 0.
  GradientGrowth gradient_growth() const noexcept override {
    return GradientGrowth::locally_lipschitz;
  }
  /// Null for a block with more than two thirds of the groups, because such a block would save
  /// little.
  std::shared_ptr<const ConditionalPotential> conditional_potential(
      const std::vector<Index>& coordinates) const override {
    const auto moved = std::count_if(coordinates.begin(), coordinates.end(),
                                     [](Index c) { return c >= theta_row; });
    if (3 * moved > 2 * groups()) return nullptr;
    return std::make_shared<GroupsGivenRest>(target_, coordinates);
  }

  /// Draws from the prior: tau, then mu, then theta given both.
  void draw(const Stream& stream, Address at, Batch theta) const override {
    each_column(stream, at, theta, [&](RandomNumbers& random, double* x) {
      x[tau_row] = draw_log_tau(random, params_.tau_shape, params_.tau_scale);
      x[mu_row] = params_.prior_mean + params_.prior_sd * random.normal();
      const double tau = std::exp(x[tau_row]);
      for (Index j = 0; j < groups(); ++j) x[theta_row + j] = x[mu_row] + tau * random.normal();
    });
  }

  std::shared_ptr<Model> with_data_at(ConstBatch theta, const Stream& stream,
                                      Address at) const override {
    Params drawn = params_;
    Eigen::MatrixXd z(groups(), 1);
    stream.normals(at, z);
    for (Index j = 0; j < groups(); ++j) {
      const auto k = static_cast<std::size_t>(j);
      drawn.values[k] = theta(theta_row + j, 0) + params_.sds[k] * z(j, 0);
    }
    auto model = std::make_shared<NormalGroups>(drawn);
    model->set_name(name());
    return model;
  }

  std::vector<NamedValues> observed_data() const override {
    return {{.name = "y", .shape = {groups()}, .values = params_.values}};
  }
  std::vector<NamedValues> constant_data() const override {
    return {{.name = "sigma", .shape = {groups()}, .values = params_.sds}};
  }
  std::vector<Parameter> generated() const override {
    return {{.name = "y", .shape = {groups()}, .group = RecordGroup::log_likelihood},
            {.name = "y", .shape = {groups()}, .group = RecordGroup::posterior_predictive}};
  }
  void generate(ConstBatch theta, const Stream& stream, Address at, Batch out) const override {
    stream.normals(at, out.bottomRows(groups()));
    for (Index j = 0; j < theta.cols(); ++j) {
      for (Index k = 0; k < groups(); ++k) {
        const double sd = params_.sds[static_cast<std::size_t>(k)];
        const double mean = theta(theta_row + k, j);
        const double off = (target_.y(k) - mean) / sd;
        out(k, j) = -0.5 * off * off - std::log(sd * std::sqrt(2 * std::numbers::pi));
        out(groups() + k, j) = mean + sd * out(groups() + k, j);
      }
    }
  }

  std::vector<std::vector<std::string>> conditionals() const override {
    return {{"mu"}, {"tau"}, {"theta"}, {"mu", "theta"}};
  }
  void draw_conditional(std::size_t which, const Stream& stream, Address at, Batch theta,
                        Workspace&) const override {
    each_column(stream, at, theta, [&](RandomNumbers& random, double* x) {
      switch (static_cast<Conditional>(which)) {
        case of_mu:
          return draw_mu(random, x);
        case of_tau:
          return draw_tau(random, x);
        case of_mu_and_theta:
          draw_mu_without_theta(random, x);
          return draw_theta(random, x);
        case of_theta:
          return draw_theta(random, x);
      }
    });
  }

  std::vector<std::vector<std::string>> integrable() const override { return {{"theta"}}; }
  /// U without theta = sum (log v_j + (y_j - mu)^2 / v_j) / 2 + b / tau^2 + 2 a log tau + (mu -
  /// m)^2 / (2 s^2), v_j = sigma_j^2 + tau^2. O(J) for each column.
  void evaluate_marginal(std::size_t, ConstBatch theta, const Evaluation& out) const override {
    Batch gradient = out.gradient;
    if (out.wants_gradient()) gradient.setZero();
    for (Index j = 0; j < theta.cols(); ++j) {
      const Marginal at = marginal(theta(mu_row, j), theta(tau_row, j));
      if (out.wants_potential()) out.u()(j) = at.u;
      if (!out.wants_gradient()) continue;
      gradient(mu_row, j) = at.by_mu;
      gradient(tau_row, j) = at.by_tau;
    }
  }

  std::vector<std::string> gaussian_parameters() const override { return {"theta"}; }
  void prior_mean(ConstBatch theta, Batch out) const override {
    for (Index j = 0; j < out.cols(); ++j) out.col(j).setConstant(theta(mu_row, j));
  }
  void prior_factor(ConstBatch theta, ConstBatch z, Batch out, Workspace&) const override {
    for (Index j = 0; j < out.cols(); ++j) out.col(j) = std::exp(theta(tau_row, j)) * z.col(j);
  }
  void likelihood_potential(ConstBatch theta, Row out, Workspace&) const override {
    for (Index j = 0; j < out.cols(); ++j) out(j) = misfit(theta.col(j).data());
  }

 private:
  /// U without theta, and its derivatives with respect to mu and log tau.
  struct Marginal {
    double u = 0.0;
    double by_mu = 0.0;
    double by_tau = 0.0;
  };

  Marginal marginal(double mu, double log_tau) const {
    const double between = std::exp(2.0 * log_tau);
    const double prior_precision = 1.0 / (params_.prior_sd * params_.prior_sd);
    const double from_prior = mu - params_.prior_mean;
    Marginal sum{.u = params_.tau_scale / between + 2.0 * params_.tau_shape * log_tau +
                      0.5 * prior_precision * from_prior * from_prior,
                 .by_mu = prior_precision * from_prior,
                 .by_tau = 2.0 * params_.tau_shape - 2.0 * params_.tau_scale / between};
    for (Index j = 0; j < groups(); ++j) {
      const double variance = 1.0 / target_.precision(j) + between;
      const double off = target_.y(j) - mu;
      sum.u += 0.5 * (std::log(variance) + off * off / variance);
      sum.by_mu -= off / variance;
      sum.by_tau += between / variance * (1.0 - off * off / variance);
    }
    return sum;
  }

  Index groups() const noexcept { return target_.groups(); }

  /// sum_j (y_j - theta_j)^2 / (2 sigma_j^2).
  double misfit(const double* x) const {
    double sum = 0.0;
    for (Index j = 0; j < groups(); ++j) sum += target_.misfit(j, x[theta_row + j]);
    return sum;
  }

  /// sum_j (theta_j - mu)^2.
  double spread(const double* x) const {
    double sum = 0.0;
    for (Index j = 0; j < groups(); ++j) {
      const double off = x[theta_row + j] - x[mu_row];
      sum += off * off;
    }
    return sum;
  }

  /// O(J) for each column.
  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    Batch gradient = out.gradient;
    for (Index j = 0; j < theta.cols(); ++j) {
      const double* const x = theta.col(j).data();
      const Target::Hyper at{x[mu_row], x[tau_row], std::exp(-2.0 * x[tau_row])};
      const double squares = spread(x);
      if (out.wants_potential()) out.u()(j) = target_.potential(misfit(x), squares, at);
      if (!out.wants_gradient()) continue;
      auto g = gradient.col(j);
      g(tau_row) = target_.by_log_tau(squares, at);
      g(mu_row) = target_.by_mu(at);
      for (Index k = 0; k < groups(); ++k) {
        const double pull = at.within * (x[theta_row + k] - at.mu);
        g(theta_row + k) = target_.misfit_by_theta(k, x[theta_row + k]) + pull;
        g(mu_row) -= pull;
      }
    }
  }
  bool evaluates_potential_alone() const noexcept override { return true; }

  /// log tau, where 1 / tau^2 is a gamma draw.
  static double draw_log_tau(RandomNumbers& random, double shape, double scale) {
    return -0.5 * draw_log_gamma(random, shape, scale);
  }

  void draw_tau(RandomNumbers& random, double* x) const {
    const double shape = params_.tau_shape + 0.5 * static_cast<double>(groups());
    x[tau_row] = draw_log_tau(random, shape, params_.tau_scale + 0.5 * spread(x));
  }

  void draw_mu(RandomNumbers& random, double* x) const {
    const double within = std::exp(-2.0 * x[tau_row]);
    const double own = 1.0 / (params_.prior_sd * params_.prior_sd);
    double sum = own * params_.prior_mean;
    for (Index j = 0; j < groups(); ++j) sum += within * x[theta_row + j];
    const double precision = own + within * static_cast<double>(groups());
    x[mu_row] = sum / precision + random.normal() / std::sqrt(precision);
  }

  /// Given only tau: y_j ~ N(mu, sigma_j^2 + tau^2).
  void draw_mu_without_theta(RandomNumbers& random, double* x) const {
    const double variance = std::exp(2.0 * x[tau_row]);
    double precision = 1.0 / (params_.prior_sd * params_.prior_sd);
    double sum = precision * params_.prior_mean;
    for (Index j = 0; j < groups(); ++j) {
      const double of_group = 1.0 / (1.0 / target_.precision(j) + variance);
      precision += of_group;
      sum += of_group * target_.y(j);
    }
    x[mu_row] = sum / precision + random.normal() / std::sqrt(precision);
  }

  void draw_theta(RandomNumbers& random, double* x) const {
    const double within = std::exp(-2.0 * x[tau_row]);
    for (Index j = 0; j < groups(); ++j) {
      const double precision = target_.precision(j) + within;
      const double mean = (target_.precision(j) * target_.y(j) + within * x[mu_row]) / precision;
      x[theta_row + j] = mean + random.normal() / std::sqrt(precision);
    }
  }

  Params params_;
  Target target_;
};

}  // namespace
}  // namespace mixwell::normal_groups

MIXWELL_PLUGIN(registrar) {
  registrar.add<mixwell::normal_groups::NormalGroups>(
      {.id = "normal-groups",
       .summary = "Means of groups around a common mean, as in the eight schools example",
       .details =
           "y_j ~ N(theta_j, sigma_j^2) with known sigma_j, theta_j ~ N(mu, tau^2), mu ~ "
           "N(prior_mean, prior_sd^2), and tau^2 with a density proportional to (tau^2)^(-a-1) "
           "exp(-b / tau^2). The coordinates are mu, log tau and theta. A run records mu, tau and "
           "theta. With a = tau_shape, b = tau_scale and J groups, U = sum (y - theta)^2 / (2 "
           "sigma^2) + (b + sum (theta - mu)^2 / 2) / tau^2 + (J + 2 a) log tau + (mu - "
           "prior_mean)^2 / (2 prior_sd^2), including the Jacobian of log tau. An evaluation takes "
           "O(J) operations.\n"
           "The kernel `conditional` draws one of these given the rest: mu, tau, theta, or mu and "
           "theta together. Given mu and tau, theta has a Gaussian prior, so the kernels "
           "`elliptical-slice` and `pcn` can sample it. To integrate theta out of an update of the "
           "compositor `blocks`, set without = [\"theta\"] in that update. For each group, a run "
           "can record log N(y_j; theta_j, sigma_j^2) and a y_j drawn from the model (see the key "
           "`run.predictive`).",
       .sources = {"Gelman et al. 2013, Bayesian Data Analysis, section 5.4 and appendix C (model, "
                   "conditional distributions, data of the eight schools)"}});
}
