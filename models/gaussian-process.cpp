// Model `gaussian-process`: a smooth function with a Gaussian process prior, observed through data.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

#include <Eigen/Cholesky>

#include <cmath>
#include <memory>

namespace {

using namespace mixwell;

using Eigen::MatrixXd;
using Eigen::VectorXd;

enum class Observed { normal, poisson, bernoulli };

/// This share of the prior's variance is added to the diagonal of K, so that close inputs do not
/// make K singular.
constexpr double jitter = 1e-6;

double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

/// The posterior for normal observations: precision K^-1 + I / noise_sd^2.
class NormalPosterior final : public ExactSampler {
 public:
  NormalPosterior(const MatrixXd& covariance, double mean, const VectorXd& y, double noise_sd) {
    const double precision = 1.0 / (noise_sd * noise_sd);
    MatrixXd seen = covariance;
    seen.diagonal().array() += 1.0 / precision;
    const Eigen::LLT<MatrixXd> of_data(seen);
    mean_ = covariance * of_data.solve((y.array() - mean).matrix());
    mean_.array() += mean;
    const MatrixXd left = covariance - covariance * of_data.solve(covariance);
    factor_ = Eigen::LLT<MatrixXd>(0.5 * (left + left.transpose())).matrixL();
  }
  void draw(const Stream& stream, Address at, Batch theta) const override {
    MatrixXd z(theta.rows(), theta.cols());
    stream.normals(at, z);
    theta.noalias() = factor_ * z;
    theta.colwise() += mean_;
  }

 private:
  VectorXd mean_;
  MatrixXd factor_;
};

class GaussianProcess final : public Model, public Prior, public DataDraws, public GaussianPrior {
 public:
  struct Params {
    std::vector<double> inputs;
    std::vector<double> values;
    std::string observed = "normal";
    double noise_sd = 1.0;
    double mean = 0.0;
    double sd = 1.0;
    double length = 1.0;

    void declare(Fields& fields) {
      fields.numbers("inputs", inputs)
          .required()
          .help("x_n, the inputs at which the function is observed");
      fields.numbers("values", values).required().help("y_n, the observations at these inputs");
      fields.text("observed", observed)
          .one_of({"normal", "poisson", "bernoulli"})
          .help(
              "y_n given f = f(x_n): N(f, noise_sd^2), Poisson(exp(f)) or Bernoulli(1 / (1 + "
              "exp(-f)))");
      fields.number("noise_sd", noise_sd).above(0).help("normal: standard deviation of y_n");
      fields.number("mean", mean).help("mean of the prior, the same at every input");
      fields.number("sd", sd).above(0).help("standard deviation of the prior at each input");
      fields.number("length", length)
          .above(0)
          .help("distance at which the prior's correlation is exp(-1/2)");
    }
  };

  explicit GaussianProcess(const Params& params)
      : params_(params), observed_(observed_of(params.observed)) {
    check();
    const Index n = std::ssize(params_.inputs);
    y_ = VectorXd::Map(params_.values.data(), n);
    MatrixXd covariance(n, n);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) covariance(i, j) = prior_covariance(i, j);
    }
    factor_.compute(covariance);
    if (observed_ != Observed::normal) return;
    exact_ = std::make_unique<NormalPosterior>(covariance, params_.mean, y_, params_.noise_sd);
  }

  std::vector<Parameter> parameters() const override {
    return {{.name = "f", .shape = {y_.size()}}};
  }
  GradientGrowth gradient_growth() const noexcept override {
    return observed_ == Observed::poisson ? GradientGrowth::locally_lipschitz
                                          : GradientGrowth::lipschitz;
  }
  bool has_constant_hessian() const noexcept override { return observed_ == Observed::normal; }

  void draw(const Stream& stream, Address at, Batch theta) const override {
    MatrixXd z(theta.rows(), theta.cols());
    stream.normals(at, z);
    theta.noalias() = factor_.matrixL() * z;
    theta.array() += params_.mean;
  }

  std::shared_ptr<Model> with_data_at(ConstBatch theta, const Stream& stream,
                                      Address at) const override {
    Params drawn = params_;
    RandomNumbers random(stream, at);
    for (Index n = 0; n < y_.size(); ++n) {
      drawn.values[static_cast<std::size_t>(n)] = observation(random, theta(n, 0));
    }
    auto model = std::make_shared<GaussianProcess>(drawn);
    model->set_name(name());
    return model;
  }

  std::vector<std::string> gaussian_parameters() const override { return {"f"}; }
  void prior_mean(ConstBatch, Batch out) const override { out.setConstant(params_.mean); }
  /// Takes N^2 / 2 multiplications and additions for each column.
  void prior_factor(ConstBatch, ConstBatch z, Batch out, Workspace&) const override {
    out.noalias() = factor_.matrixL() * z;
  }
  void likelihood_potential(ConstBatch theta, Row out, Workspace&) const override {
    for (Index j = 0; j < theta.cols(); ++j) {
      out(j) = 0.0;
      for (Index n = 0; n < y_.size(); ++n) out(j) += misfit(theta(n, j), y_(n)).value;
    }
  }

 private:
  void offer(Offer& offer) const noexcept override { offer.set<ExactSampler>(exact_.get()); }
  struct Misfit {
    double value, slope;
  };

  static Observed observed_of(const std::string& word) {
    if (word == "normal") return Observed::normal;
    return word == "poisson" ? Observed::poisson : Observed::bernoulli;
  }

  void check() const {
    const auto count = std::to_string(params_.inputs.size());
    if (params_.inputs.empty()) throw ParameterError("inputs", "must not be empty");
    if (params_.values.size() != params_.inputs.size()) {
      throw ParameterError("values", "must have as many numbers as `inputs` (" + count +
                                         "), but has " + std::to_string(params_.values.size()));
    }
    for (std::size_t n = 0; n < params_.values.size(); ++n) {
      const double y = params_.values[n];
      const std::string key = "values[" + std::to_string(n) + "]";
      if (observed_ == Observed::poisson && (y < 0.0 || y != std::floor(y)))
        throw ParameterError(key, "must be a count, that is, a whole number that is at least 0");
      if (observed_ == Observed::bernoulli && y != 0.0 && y != 1.0)
        throw ParameterError(key, "must be 0 or 1");
    }
  }

  double prior_covariance(Index i, Index j) const {
    const double apart = (params_.inputs[static_cast<std::size_t>(i)] -
                          params_.inputs[static_cast<std::size_t>(j)]) /
                         params_.length;
    const double variance = params_.sd * params_.sd;
    return variance * (std::exp(-0.5 * apart * apart) + (i == j ? jitter : 0.0));
  }

  /// -log p(y | f), and its derivative with respect to f.
  Misfit misfit(double f, double y) const {
    switch (observed_) {
      case Observed::normal: {
        const double off = (f - y) / params_.noise_sd;
        return {0.5 * off * off, off / params_.noise_sd};
      }
      case Observed::poisson: {
        const double rate = std::exp(f);
        return {rate - y * f, rate - y};
      }
      case Observed::bernoulli:
        return {softplus(f) - y * f, 1.0 / (1.0 + std::exp(-f)) - y};
    }
    return {};
  }

  double observation(RandomNumbers& random, double f) const {
    switch (observed_) {
      case Observed::normal:
        return f + params_.noise_sd * random.normal();
      case Observed::poisson:
        return poisson(random, std::exp(f));
      case Observed::bernoulli:
        return random.uniform() < 1.0 / (1.0 + std::exp(-f)) ? 1.0 : 0.0;
    }
    return 0.0;
  }

  /// Counts arrivals before time `rate` in a process whose waits are exponential with mean 1.
  static double poisson(RandomNumbers& random, double rate) {
    double count = 0.0;
    for (double time = -std::log(random.uniform()); time < rate; count += 1.0)
      time -= std::log(random.uniform());
    return count;
  }

  /// U = (f - m)' K^-1 (f - m) / 2 + sum_n -log p(y_n | f_n). Takes N^2 multiplications and
  /// additions for each column, and half as many for U only.
  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    const Workspace::Frame frame(out.scratch);
    MatrixMap white = out.scratch.matrix(theta.rows(), theta.cols());
    white = (theta.array() - params_.mean).matrix();
    factor_.matrixL().solveInPlace(white);
    if (out.wants_potential()) {
      likelihood_potential(theta, out.u(), out.scratch);
      out.u() += 0.5 * white.colwise().squaredNorm();
    }
    if (!out.wants_gradient()) return;
    Batch g = out.gradient;
    factor_.matrixU().solveInPlace(white);
    for (Index j = 0; j < theta.cols(); ++j) {
      for (Index n = 0; n < y_.size(); ++n)
        g(n, j) = white(n, j) + misfit(theta(n, j), y_(n)).slope;
    }
  }
  bool evaluates_potential_alone() const noexcept override { return true; }

  Params params_;
  Observed observed_;
  VectorXd y_;
  Eigen::LLT<MatrixXd> factor_;  ///< of K
  std::unique_ptr<const NormalPosterior> exact_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<GaussianProcess>(
      {.id = "gaussian-process",
       .summary = "A smooth function with a Gaussian process prior, observed through data",
       .details =
           "f ~ N(mean, K) at the inputs x_n, with K_ij = sd^2 (exp(-(x_i - x_j)^2 / (2 length^2)) "
           "+ 1e-6 [i = j]). The key `observed` sets the distribution of y_n given f_n: normal, "
           "Poisson or Bernoulli. U = (f - mean)' K^-1 (f - mean) / 2 - sum_n log p(y_n | f_n). "
           "The parameters of K are fixed, not sampled. An evaluation takes O(N^2) operations.\n"
           "f has a Gaussian prior, so the kernels `elliptical-slice` and `pcn` can sample it. The "
           "model can simulate y given f. With observed = \"normal\", it also offers exact draws "
           "of f.",
       .sources = {"Rasmussen & Williams 2006, Gaussian Processes for Machine Learning, sections "
                   "2.2 and 3.3"}});
}
