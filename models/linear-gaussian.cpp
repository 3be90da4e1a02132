// Model `linear-gaussian`: Bayesian linear regression with known variances; exact draws.
// SPDX-License-Identifier: Apache-2.0
#include "regression/coefficients.hpp"
#include "regression/columns.hpp"
#include "regression/design.hpp"
#include "regression/keys.hpp"
#include "regression/remarks.hpp"
#include "regression/simulated.hpp"

#include <mixwell/plugin.hpp>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>
#include <sstream>

namespace {

using namespace mixwell;

using Eigen::MatrixXd;
using Eigen::RowVectorXd;
using Eigen::VectorXd;

const std::string id = "linear-gaussian";

/// N standardised cases. Column n of `a` (d x N) is a_n times the square root of w_n. The offset
/// o_n is subtracted from x_n, and the result is multiplied by the square root of w_n.
struct Cases {
  MatrixXd a;
  RowVectorXd x;
  RowVectorXd observed;  ///< the x_n as in the data
  regression::CaseNumbers numbers{};
  regression::Coefficients coefficients{};
  std::vector<std::string> remarks{};
  std::string response;  ///< name of the x_n in results
};

/// U = (theta - mu)' P (theta - mu) / 2 + least, computed from the sums A'A and A'x over the cases:
/// P = A'A / noise_variance + I / prior_variance, P mu = A'x / noise_variance.
class Posterior final : public ExactSampler {
 public:
  Posterior(const Cases& cases, double noise_variance, double prior_variance) {
    const Index d = cases.a.rows();
    precision_ = MatrixXd::Identity(d, d) / prior_variance;
    precision_.selfadjointView<Eigen::Lower>().rankUpdate(cases.a, 1.0 / noise_variance);
    precision_.triangularView<Eigen::StrictlyUpper>() = precision_.transpose();
    factor_.compute(precision_);
    mean_ = factor_.solve(cases.a * cases.x.transpose() / noise_variance);
    least_ = 0.5 * ((cases.x - mean_.transpose() * cases.a).squaredNorm() / noise_variance +
                    mean_.squaredNorm() / prior_variance);
  }

  const MatrixXd& precision() const noexcept { return precision_; }

  /// d^2 multiplications and additions for each column.
  void evaluate(ConstBatch theta, const Evaluation& out) const {
    const Workspace::Frame frame(out.scratch);
    MatrixMap centred = out.scratch.matrix(theta.rows(), theta.cols());
    centred = theta.colwise() - mean_;
    Batch g = out.gradient;
    g.noalias() = precision_ * centred;
    if (!out.wants_potential()) return;
    out.u() = 0.5 * centred.cwiseProduct(g).colwise().sum();
    out.u().array() += least_;
  }

  /// mu + L'^-1 z with P = L L'.
  void draw(const Stream& stream, Address at, Batch theta) const override {
    stream.normals(at, theta);
    factor_.matrixU().solveInPlace(theta);
    theta.colwise() += mean_;
  }

  /// A sentence that compares the widest and the narrowest direction.
  std::string remark() const {
    const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(precision_, Eigen::EigenvaluesOnly);
    const VectorXd& all = solver.eigenvalues();
    std::ostringstream text;
    text << "The posterior's covariance has condition number " << all.maxCoeff() / all.minCoeff()
         << ": variances from " << 1 / all.maxCoeff() << " to " << 1 / all.minCoeff() << ".";
    return text.str();
  }

 private:
  MatrixXd precision_;
  Eigen::LLT<MatrixXd> factor_;
  VectorXd mean_;
  double least_ = 0;
};

class LinearGaussian final : public Model,
                             public Prior,
                             public GaussianPrior,
                             public Metric,
                             public SumOfTerms,
                             public Generated {
 public:
  struct Params {
    std::optional<std::string> data;
    regression::ColumnChoice columns;
    bool intercept = false;
    regression::Simulation simulation;
    double noise_variance = 10;
    double prior_variance = 1;

    void declare(Fields& fields) {
      fields.text("data", data)
          .file()
          .help("CSV file of the cases, plain or gzipped; default: simulated cases");
      fields.text("response", columns.response).only_with("data").help("column of x_n");
      declare_columns(fields, columns);
      fields.flag("intercept", intercept)
          .only_with("data")
          .help("add an intercept as the first coefficient");
      simulation.declare(fields);
      fields.number("noise_variance", noise_variance)
          .above(0)
          .help("variance of the noise in x_n ~ N(a_n' theta + o_n, noise_variance)");
      regression::declare_prior(fields, prior_variance);
    }
  };

  explicit LinearGaussian(const Params& params) : LinearGaussian(params, make_cases(params)) {}

  std::vector<Parameter> parameters() const override { return cases_.coefficients.parameters; }
  std::vector<Labels> labels() const override { return cases_.coefficients.labels; }
  std::vector<std::string> remarks() const override { return cases_.remarks; }

  void draw(const Stream& stream, Address at, Batch theta) const override {
    stream.normals(at, theta);
    theta *= std::sqrt(prior_variance_);
  }

  std::vector<NamedValues> observed_data() const override {
    return {{.name = cases_.response,
             .shape = {terms()},
             .values = {cases_.observed.begin(), cases_.observed.end()}}};
  }
  std::vector<NamedValues> constant_data() const override {
    return regression::constant_data(cases_.numbers);
  }
  std::vector<Parameter> generated() const override {
    return {
        {.name = cases_.response, .shape = {terms()}, .group = RecordGroup::log_likelihood},
        {.name = cases_.response, .shape = {terms()}, .group = RecordGroup::posterior_predictive}};
  }
  /// N d multiplications and additions and N normals for each column.
  void generate(ConstBatch theta, const Stream& stream, Address at, Batch out) const override {
    auto drawn = out.bottomRows(terms());
    auto log_likelihood = out.topRows(terms());
    stream.normals(at, drawn);
    drawn *= std::sqrt(noise_variance_);
    log_likelihood.noalias() = cases_.a.transpose() * theta;
    add_means(log_likelihood, drawn);
    log_likelihood.colwise() -= cases_.x.transpose();
    log_likelihood = -0.5 / noise_variance_ * log_likelihood.cwiseAbs2();
    const double log_root = 0.5 * std::log(2 * std::numbers::pi * noise_variance_);
    if (has_weights())
      log_likelihood.colwise() -= log_root * cases_.numbers.weights;
    else
      log_likelihood.array() -= log_root;
  }

  std::vector<std::string> gaussian_parameters() const override {
    return regression::names_of(cases_.coefficients.parameters);
  }
  void prior_mean(ConstBatch, Batch out) const override { out.setZero(); }
  void prior_factor(ConstBatch, ConstBatch z, Batch out, Workspace&) const override {
    out = std::sqrt(prior_variance_) * z;
  }
  /// U without the prior's part: d^2 multiplications and additions for each column.
  void likelihood_potential(ConstBatch theta, Row out, Workspace& scratch) const override {
    const Workspace::Frame frame(scratch);
    const MatrixMap gradient = scratch.matrix(theta.rows(), theta.cols());
    posterior_.evaluate(theta, {out.data(), gradient, scratch});
    out -= (0.5 / prior_variance_) * theta.colwise().squaredNorm();
  }

  void metric(ConstBatch theta, Batch G, Workspace&) const override {
    const Index d = theta.rows();
    for (Index j = 0; j < G.cols(); ++j) MatrixMap(G.col(j).data(), d, d) = posterior_.precision();
  }
  void contract_derivative(ConstBatch, ConstBatch, Batch out, Workspace&) const override {
    out.setZero();
  }
  void contract_crosswise(ConstBatch, ConstBatch, Batch out, Workspace&) const override {
    out.setZero();
  }
  bool is_constant() const noexcept override { return true; }
  bool has_constant_hessian() const noexcept override { return true; }
  GradientGrowth gradient_growth() const noexcept override { return GradientGrowth::lipschitz; }

  Index terms() const noexcept override { return cases_.x.size(); }
  bool rest_is_prior() const noexcept override { return true; }
  void evaluate_rest(ConstBatch theta, const Evaluation& out) const override {
    Batch gradient = out.gradient;
    gradient = theta / prior_variance_;
    if (out.wants_potential()) out.u() = (0.5 / prior_variance_) * theta.colwise().squaredNorm();
  }
  void evaluate_terms(ConstBatch theta, ConstBatch indices, const Evaluation& out) const override {
    Batch gradient = out.gradient;
    for (Index j = 0; j < theta.cols(); ++j) {
      double squares = 0;
      auto g = gradient.col(j);
      g.setZero();
      for (Index k = 0; k < indices.rows(); ++k) {
        const Index n = index(indices(k, j));
        const double r = cases_.a.col(n).dot(theta.col(j)) - cases_.x[n];
        squares += r * r;
        g += r / noise_variance_ * cases_.a.col(n);
      }
      if (out.wants_potential()) out.u()(j) = 0.5 / noise_variance_ * squares;
    }
  }
  void gradients_of_terms(ConstBatch theta, ConstBatch indices, Batch out,
                          Workspace&) const override {
    for (Index k = 0; k < indices.rows(); ++k) {
      const Index n = index(indices(k, 0));
      out.col(k) =
          (cases_.a.col(n).dot(theta.col(0)) - cases_.x[n]) / noise_variance_ * cases_.a.col(n);
    }
  }

 private:
  void offer(Offer& offer) const noexcept override { offer.set<ExactSampler>(&posterior_); }
  LinearGaussian(const Params& params, Cases cases)
      : noise_variance_(params.noise_variance),
        prior_variance_(params.prior_variance),
        cases_(std::move(cases)),
        posterior_(cases_, noise_variance_, prior_variance_) {
    cases_.remarks.push_back(posterior_.remark());
  }

  static Cases make_cases(const Params& params) {
    if (regression::is_simulated(params.simulation, params.data.has_value()))
      return simulate(params);
    if (!params.columns.response)
      throw ParameterError("response", "must be given if `data` is given");
    return read(*params.data, params.columns, params.intercept);
  }

  static Cases read(const std::string& path, const regression::ColumnChoice& columns,
                    bool intercept) {
    CsvTable csv(path);
    regression::Predictors table = regression::settled(csv, columns, nullptr);
    regression::read_rows(table, csv, columns, regression::all_rows(csv), nullptr);
    const regression::Design design(table, {.standardize = false, .intercept = intercept});
    Cases cases;
    cases.observed = csv.numbers(*columns.response);
    cases.a = design.rows(table).transpose();
    cases.x = cases.observed;
    cases.numbers = std::move(table.numbers);
    cases.remarks = remarks_on(design, table);
    cases.coefficients = coefficients(design, path, cases.remarks);
    cases.response = regression::response_name(columns.response, path, cases.remarks);
    standardise(cases);
    return cases;
  }

  static void standardise(Cases& cases) {
    if (cases.numbers.offset.size() > 0) cases.x -= cases.numbers.offset.transpose();
    if (cases.numbers.weights.size() == 0) return;
    const RowVectorXd roots = cases.numbers.weights.cwiseSqrt().transpose();
    cases.x.array() *= roots.array();
    cases.a.array().rowwise() *= roots.array();
  }

  static Cases simulate(const Params& params) {
    const regression::Simulation& simulation = params.simulation;
    Cases cases;
    cases.a = regression::simulated_inputs(simulation, id);
    const VectorXd theta = regression::simulated_parameter(simulation, id, cases.a.rows(),
                                                           std::sqrt(params.prior_variance));
    cases.x = theta.transpose() * cases.a +
              std::sqrt(params.noise_variance) * regression::simulated_noise(simulation, id);
    cases.observed = cases.x;
    cases.coefficients.parameters = {{.name = "theta", .shape = {theta.size()}}};
    cases.remarks = {regression::remark_on(theta)};
    cases.response = "x";
    return cases;
  }

  bool has_weights() const noexcept { return cases_.numbers.weights.size() > 0; }

  /// Adds a_n' theta + o_n to `out`, given the square root of w_n times a_n' theta: N x R.
  void add_means(ConstBatch scaled, Batch out) const {
    if (has_weights())
      out.array() += scaled.array().colwise() * cases_.numbers.weights.array().rsqrt();
    else
      out += scaled;
    if (cases_.numbers.offset.size() > 0) out.colwise() += cases_.numbers.offset;
  }

  Index index(double n) const {
    assert(n >= 0 && n < static_cast<double>(cases_.x.size()));
    return static_cast<Index>(n);
  }

  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    posterior_.evaluate(theta, out);
  }

  double noise_variance_;
  double prior_variance_;
  Cases cases_;
  Posterior posterior_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<LinearGaussian>(
      {.id = "linear-gaussian",
       .summary = "Bayesian linear regression with known variances; cases from a CSV file or "
                  "simulated; exact draws",
       .details =
           "theta ~ N(0, prior_variance I), x_n given theta ~ N(a_n' theta + o_n, "
           "noise_variance):\n"
           "U(theta) = sum_n w_n (x_n - a_n' theta - o_n)^2 / (2 noise_variance) + |theta|^2 / (2 "
           "prior_variance). Offsets o_n are 0 and weights w_n are 1 unless the table has them.\n"
           "If `data` is given, the inputs a_n and responses x_n of the file are neither centred "
           "nor scaled. The coefficients of inputs are scalars with the names of the columns. Each "
           "level of a factor, except the first level, has a column that is 1 for cases with that "
           "level and 0 for other cases. These columns are in rising order of levels. The "
           "coefficients of a factor form an array that has the factor's name. Its elements are "
           "labelled with these levels. The first level has effect 0, so it adds nothing to the "
           "intercept.\n"
           "Without data, cases are simulated, and theta is an array of shape [dimension]. The "
           "input vector a of each case is N(0, C) with C_ij = r^|i - j|, where r = `correlation`. "
           "It is simulated as an autoregression along its coordinates: a_0 = z_0, a_i = r a_(i-1) "
           "+ sqrt(1 - r^2) z_i. One theta is drawn from N(0, prior_variance I) for all cases. The "
           "run reports the first ten coordinates of this theta. x_n is drawn from N(a_n' theta, "
           "noise_variance). Each random stream is identified by `simulate_seed` and a name. The "
           "normal random numbers z of case n come from replicate n of the stream "
           "\"linear-gaussian/inputs\". theta is drawn from replicate 0 of the stream "
           "\"linear-gaussian/parameter\", and the noise of x_n from replicate n of the stream "
           "\"linear-gaussian/noise\". If two manifests differ only in `cases`, the smaller data "
           "set therefore consists of the first cases of the larger one.\n"
           "The posterior is N(mu, Sigma), where Sigma^-1 = A'WA / noise_variance + I / "
           "prior_variance and mu = Sigma A'W(x - o) / noise_variance. The rows of A are a_n', and "
           "W = diag(w_n). A gradient takes d^2 multiplications and additions for any N, because "
           "the sums A'WA and A'W(x - o) are stored. Exact draws use the Cholesky factor of "
           "Sigma^-1. The metric is Sigma^-1, a constant. As a sum of terms, U = U_0 + sum_n u_n, "
           "where U_0 is the prior's term and u_n = w_n (x_n - a_n' theta - o_n)^2 / (2 "
           "noise_variance). Each u_n takes 4 d multiplications and additions. For each case, a "
           "run can record w_n log N(x_n; a_n' theta + o_n, noise_variance) and an x_n drawn from "
           "this normal distribution (see the key `run.predictive`).",
       .sources = {
           "Simsekli, Badeau, Cemgil & Richard 2016, ICML, section 4.1 (there prior_variance = 1, "
           "noise_variance = 10; the paper does not give the distribution of a_n)"}});
}
