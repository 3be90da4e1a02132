// Model `random-effects`: common mean of groups, with an estimate of each group's likelihood.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace {

using namespace mixwell;

using Eigen::VectorXd;

class RandomEffects final : public Model,
                            public ExactSampler,
                            public EstimatedDensity,
                            public GaussianPrior {
 public:
  struct Params {
    std::vector<double> values;
    std::vector<double> sds;
    double between = 1.0;
    double prior_mean = 0.0;
    double prior_sd = 10.0;
    std::int64_t samples = 4;

    void declare(Fields& fields) {
      fields.numbers("values", values).required().help("y_j, the measurement of each group");
      fields.numbers("sds", sds)
          .required()
          .above(0)
          .help("sigma_j, standard deviation of y_j about the effect b_j of its group");
      fields.number("between", between)
          .above(0)
          .help("tau, standard deviation of the effects b_j about mu");
      fields.number("prior_mean", prior_mean)
          .help("mean of the prior mu ~ N(prior_mean, prior_sd^2)");
      fields.number("prior_sd", prior_sd).above(0).help("standard deviation of mu's prior");
      fields.integer("samples", samples)
          .at_least(1)
          .at_most(1000000)
          .help(
              "n, number of effects drawn for each group; their average likelihood estimates the "
              "group's likelihood");
    }
  };

  explicit RandomEffects(const Params& params) : params_(params) {
    if (params.values.size() != params.sds.size()) {
      throw ParameterError("sds", "must have as many numbers as `values` (" +
                                      std::to_string(params.values.size()) + "), but has " +
                                      std::to_string(params.sds.size()));
    }
    y_ = VectorXd::Map(params.values.data(), std::ssize(params.values));
    sd_ = VectorXd::Map(params.sds.data(), y_.size());
    const VectorXd precision = (sd_.array().square() + params.between * params.between).inverse();
    const double own = 1.0 / (params.prior_sd * params.prior_sd);
    precision_ = own + precision.sum();
    mean_ = (own * params.prior_mean + precision.dot(y_)) / precision_;
  }

  std::vector<Parameter> parameters() const override { return {{.name = "mu", .shape = {}}}; }
  bool has_constant_hessian() const noexcept override { return true; }
  GradientGrowth gradient_growth() const noexcept override { return GradientGrowth::lipschitz; }

  void draw(const Stream& stream, Address at, Batch theta) const override {
    stream.normals(at, theta);
    theta.array() = mean_ + theta.array() / std::sqrt(precision_);
  }

  std::vector<std::string> gaussian_parameters() const override { return {"mu"}; }
  void prior_mean(ConstBatch, Batch out) const override { out.setConstant(params_.prior_mean); }
  void prior_factor(ConstBatch, ConstBatch z, Batch out, Workspace&) const override {
    out = params_.prior_sd * z;
  }
  /// Exact, because the integrals of this model are known, as they are for U.
  void likelihood_potential(ConstBatch theta, Row out, Workspace&) const override {
    for (Index j = 0; j < theta.cols(); ++j) {
      const double off = theta(0, j) - mean_;
      out(j) = 0.5 * precision_ * off * off - prior_potential(theta(0, j));
    }
  }

  /// n normals for each group; the normals of one group are adjacent.
  Index normals() const noexcept override { return groups() * samples(); }

  /// exp(-Uhat) = prior(mu) prod_j 1/n sum_k N(y_j; mu + tau z_jk, sigma_j^2). O(J n) for each
  /// column.
  void estimate(ConstBatch theta, ConstBatch z, Row out, Workspace&) const override {
    for (Index j = 0; j < theta.cols(); ++j) {
      const double mu = theta(0, j);
      out(j) = prior_potential(mu);
      for (Index i = 0; i < groups(); ++i) {
        out(j) -= log_average(y_(i) - mu, sd_(i), z.col(j).segment(i * samples(), samples()));
      }
    }
  }

  bool draws_weighted() const noexcept override { return true; }
  /// The weight of z_j is an average over k of densities that each depend on one z_jk. So one z_jk,
  /// chosen uniformly, has the distribution of the effect given y_j, and the others are normal.
  void draw_weighted(ConstBatch theta, const Stream& stream, Address at, Batch z,
                     Workspace&) const override {
    stream.normals(at, z);
    for (Index j = 0; j < z.cols(); ++j) {
      RandomNumbers random(stream,
                           {at.sweep, at.draw + 1, at.replicate + static_cast<std::uint64_t>(j)});
      for (Index i = 0; i < groups(); ++i) {
        const auto k = std::min(
            samples() - 1, static_cast<Index>(static_cast<double>(samples()) * random.uniform()));
        double& effect = z(i * samples() + k, j);
        const double tau = params_.between;
        const double variance = 1.0 / (1.0 + tau * tau / (sd_(i) * sd_(i)));
        effect = variance * tau * (y_(i) - theta(0, j)) / (sd_(i) * sd_(i)) +
                 std::sqrt(variance) * effect;
      }
    }
  }

 private:
  Index groups() const noexcept { return y_.size(); }
  Index samples() const noexcept { return params_.samples; }

  double prior_potential(double mu) const {
    const double off = (mu - params_.prior_mean) / params_.prior_sd;
    return 0.5 * off * off;
  }

  /// log of 1/n sum_k exp(-(off - tau z_k)^2 / (2 sd^2)).
  template <class Normals>
  double log_average(double off, double sd, const Normals& z) const {
    const auto exponent = [&](Index k) {
      const double distance = (off - params_.between * z(k)) / sd;
      return -0.5 * distance * distance;
    };
    double most = exponent(0);
    for (Index k = 1; k < z.size(); ++k) most = std::max(most, exponent(k));
    double sum = 0.0;
    for (Index k = 0; k < z.size(); ++k) sum += std::exp(exponent(k) - most);
    return most + std::log(sum / static_cast<double>(z.size()));
  }

  /// U = precision (mu - mean)^2 / 2, from the known integrals, for checks and exact draws.
  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    Batch gradient = out.gradient;
    for (Index j = 0; j < theta.cols(); ++j) {
      const double off = theta(0, j) - mean_;
      if (out.wants_potential()) out.u()(j) = 0.5 * precision_ * off * off;
      if (out.wants_gradient()) gradient(0, j) = precision_ * off;
    }
  }
  bool evaluates_potential_alone() const noexcept override { return true; }

  Params params_;
  VectorXd y_;
  VectorXd sd_;
  double precision_ = 1.0;  ///< of the posterior N(mean, 1 / precision)
  double mean_ = 0.0;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<RandomEffects>(
      {.id = "random-effects",
       .summary = "Common mean of groups; importance sampling integrates out the group effects",
       .details = "y_j ~ N(b_j, sigma_j^2), b_j ~ N(mu, tau^2), mu ~ N(prior_mean, prior_sd^2); "
                  "the parameter is mu. Kernels get only an unbiased estimate of the density. The "
                  "likelihood of group j is estimated by the average of N(y_j; b, sigma_j^2) over "
                  "`samples` effects b drawn from N(mu, tau^2). An evaluation takes O(J n) "
                  "operations, where n = samples. The posterior of mu is a known Gaussian, so you "
                  "can use this model to test pseudo-marginal kernels.",
       .sources = {"Andrieu & Roberts 2009, Ann. Stat. 37, 697-725",
                   "Beaumont 2003, Genetics 164, 1139-1160"}});
}
