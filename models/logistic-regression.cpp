// Model `logistic-regression`: Bayesian logistic regression on a table.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

#include "logistic-regression/design.hpp"
#include "logistic-regression/likelihood.hpp"
#include "logistic-regression/names.hpp"

namespace mixwell {
namespace {

using logistic::Cases;
using logistic::Design;
using logistic::Likelihood;
using logistic::quoted;
using logistic::Table;

/// out (rows of x by R) = 1 / (1 + exp(-x theta)).
void probabilities_of(const Eigen::MatrixXd& x, ConstBatch theta, Batch out) {
  out.noalias() = x * theta;
  out = (1.0 + (-out.array()).exp()).inverse().matrix();
}

/// The model's predictions for the rows of a test table.
class TestSet final : public Prediction {
 public:
  explicit TestSet(Cases cases) : cases_(std::move(cases)) {}

  Index cases() const override { return cases_.x.rows(); }
  void probabilities(ConstBatch theta, Batch out) const override {
    probabilities_of(cases_.x, theta, out);
  }
  double error_rate(const Eigen::VectorXd& probability) const override {
    Index wrong = 0;
    for (Index n = 0; n < cases(); ++n)
      wrong += (probability[n] > 0.5) != cases_.positive[static_cast<std::size_t>(n)];
    return static_cast<double>(wrong) / static_cast<double>(cases());
  }

 private:
  Cases cases_;
};

/// Probabilities of the positive label at named points.
class Points final : public Derived {
 public:
  Points(const Design& design, const NamedNumbers& points, const std::vector<Parameter>& parameters)
      : x_(static_cast<Index>(points.size()),
           design.column_count() + (design.has_intercept() ? 1 : 0)) {
    for (const auto& [name, values] : points) {
      require_name(name, parameters);
      require_inputs(design, "predict." + name, values);
      x_.row(static_cast<Index>(names_.size())) = design.row(values);
      names_.push_back(name);
    }
  }

  std::vector<Parameter> quantities() const override {
    std::vector<Parameter> all;
    for (const std::string& name : names_) all.push_back({.name = name, .shape = {}});
    return all;
  }
  void derive(ConstBatch theta, Batch out) const override { probabilities_of(x_, theta, out); }

 private:
  static void require_name(const std::string& name, const std::vector<Parameter>& parameters) {
    if (logistic::is_reserved(name) ||
        std::any_of(parameters.begin(), parameters.end(),
                    [&name](const Parameter& parameter) { return parameter.name == name; }))
      throw ParameterError("predict." + name, "the name is taken; choose another");
    if (name.empty() || logistic::netcdf_name(name) != name)
      throw ParameterError("predict." + name,
                           "a name begins with a letter or digit and has no slash");
  }

  static void require_inputs(const Design& design, const std::string& key,
                             const std::map<std::string, double>& values) {
    for (const std::string& input : design.inputs())
      if (!values.contains(input)) throw ParameterError(key, "lacks the input " + quoted(input));
    for (const auto& [input, value] : values) {
      if (std::find(design.inputs().begin(), design.inputs().end(), input) == design.inputs().end())
        throw ParameterError(
            key, "there is no input " + quoted(input) + suggestion(input, design.inputs()));
      if (!std::isfinite(value)) throw ParameterError(key, quoted(input) + " must be finite");
    }
  }

  Eigen::MatrixXd x_;
  std::vector<std::string> names_;
};

/// Blocks of coefficients: a scalar for each named column, else all of them as the array beta.
std::vector<Parameter> coefficients(const Design& design, std::vector<std::string>& remarks) {
  std::vector<Parameter> all;
  if (!design.has_names()) {
    if (design.has_intercept()) all.push_back({.name = "intercept", .shape = {}});
    all.push_back({.name = "beta", .shape = {design.column_count()}});
    return all;
  }
  std::vector<std::string> names;
  if (design.has_intercept()) names.push_back("intercept");
  for (Index j = 0; j < design.column_count(); ++j) names.push_back(design.column_name(j));
  for (const std::string& name : logistic::safe_names(names, remarks))
    all.push_back({.name = name, .shape = {}});
  return all;
}

/// What constant columns mean: a sentence for each that has a name, else one for all.
std::vector<std::string> remarks_on(const Design& design, const std::string& path) {
  constexpr const char* consequence = "centred, left unscaled, its coefficient keeps its prior.";
  std::vector<std::string> remarks;
  const std::vector<Index>& constant = design.constant_columns();
  if (design.has_names()) {
    for (const Index j : constant)
      remarks.push_back("Column " + quoted(design.column_name(j)) + " of " + path +
                        " is constant: " + consequence);
  } else if (!constant.empty()) {
    remarks.push_back(std::to_string(constant.size()) + " of the " +
                      std::to_string(design.column_count()) + " columns of " + path +
                      " are constant, the first of them " + design.column_name(constant.front()) +
                      ": each is " + consequence);
  }
  return remarks;
}

class LogisticRegression final : public Model, public Prior, public Metric {
 public:
  struct Params {
    logistic::Source source;
    logistic::Recipe recipe;
    double prior_variance = 100;
    NamedNumbers predict;

    void declare(Fields& fields) {
      fields.text("data", source.data).file().required().help("the cases; plain or gzipped");
      fields.text("format", source.format)
          .one_of({"csv", "libsvm", "idx"})
          .help(
              "of data and test: csv has a header and a row for each case, libsvm lines of a "
              "label and index:value pairs, idx images of unsigned bytes (MNIST)");
      fields.text("labels", source.labels).file().help("idx: the labels that belong to data");
      fields.text("response", source.response).help("csv: column of the label");
      declare_recipe(fields);
      fields.number("prior_variance", prior_variance)
          .above(0)
          .help("of N(0, prior_variance), the prior of each coefficient");
      fields.text("test", source.test)
          .file()
          .help("cases with the same inputs, for the test error");
      fields.text("test_labels", source.test_labels).file().help("idx: the labels of test");
      fields.named_numbers("predict", predict)
          .help(
              "csv: predict.NAME = { input = value, ... }: record the probability of the positive "
              "label there, inputs in their original units");
    }

   private:
    void declare_recipe(Fields& fields) {
      fields.text("positive", recipe.labels.positive)
          .help("label counted as 1, all others as 0; by default the larger of two");
      fields.text("negative", recipe.labels.negative)
          .help("label counted as 0; cases with other labels are left out, also of test");
      fields.texts("inputs", source.inputs)
          .help("csv: columns to regress on; by default all but the response");
      fields.integer("powers", recipe.powers)
          .at_least(1)
          .at_most(16)
          .help("inputs, their squares, ... up to this power");
      fields.integer("projection", recipe.projection)
          .at_least(0)
          .help("k > 0: replace these by k random projections");
      fields.integer("projection_seed", recipe.projection_seed)
          .at_least(0)
          .help("of the projections' entries, N(0, 1 / k)");
      fields.flag("standardize", recipe.standardize)
          .help("then scale columns to mean 0, standard deviation 1 (n - 1)");
      fields.flag("intercept", recipe.intercept)
          .help("a first coefficient for the constant 1, added last");
    }
  };

  explicit LogisticRegression(const Params& params) : LogisticRegression(params, read(params)) {}

  std::vector<Parameter> parameters() const override { return parameters_; }
  std::vector<std::string> remarks() const override { return remarks_; }
  const Derived* as_derived() const noexcept override { return points_.get(); }
  const Prediction* as_prediction() const noexcept override { return test_.get(); }
  const Prior* as_prior() const noexcept override { return this; }

  void draw(const Stream& stream, Draw at, Batch theta) const override {
    stream.normals(at, theta);
    theta *= std::sqrt(prior_variance_);
  }

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

 private:
  LogisticRegression(const Params& params, const Table& table)
      : LogisticRegression(params, table, Design(table, params.recipe)) {}

  LogisticRegression(const Params& params, const Table& table, const Design& design)
      : LogisticRegression(params, table, design, design.cases(table)) {}

  LogisticRegression(const Params& params, const Table& table, const Design& design, Cases cases)
      : likelihood_(std::move(cases.x), cases.positive),
        prior_variance_(params.prior_variance),
        remarks_(remarks_on(design, table.path)),
        parameters_(coefficients(design, remarks_)) {
    if (!params.predict.empty())
      points_ = std::make_unique<Points>(design, params.predict, parameters_);
    if (params.source.test)
      test_ = std::make_unique<TestSet>(
          design.cases(logistic::test_table(params.source, params.recipe.labels, table)));
  }

  static Table read(const Params& params) {
    require_keys(params);
    return logistic::training_table(params.source, params.recipe.labels);
  }

  static void require_keys(const Params& params) {
    const logistic::Source& source = params.source;
    require_match(source.format, "csv", "response", source.response.has_value());
    require_match(source.format, "idx", "labels", source.labels.has_value());
    if (source.test || source.test_labels)
      require_match(source.format, "idx", "test_labels", source.test_labels.has_value());
    if (source.test_labels && !source.test)
      throw ParameterError("test_labels", "goes with test, the images that it belongs to");
    if (!source.inputs.empty()) require_match(source.format, "csv", "inputs", true);
    if (!params.predict.empty()) require_match(source.format, "csv", "predict", true);
  }

  /// A key that belongs to one format: there it must be given, elsewhere it must not.
  static void require_match(const std::string& format, const std::string& wanted,
                            const std::string& key, bool given) {
    if (given == (format == wanted)) return;
    throw ParameterError(
        key, given ? "goes with format = " + quoted(wanted) + ", but it is " + quoted(format)
                   : "must be given with format = " + quoted(wanted));
  }

  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    Batch gradient = out.gradient;
    gradient = theta / prior_variance_;
    if (out.wants_potential()) out.u() = (0.5 / prior_variance_) * theta.colwise().squaredNorm();
    likelihood_.add_to(theta, out);
  }

  Likelihood likelihood_;
  double prior_variance_;
  std::vector<std::string> remarks_;
  std::vector<Parameter> parameters_;
  std::unique_ptr<const Points> points_;
  std::unique_ptr<const TestSet> test_;
};

}  // namespace
}  // namespace mixwell

MIXWELL_PLUGIN(registrar) {
  registrar.add<mixwell::LogisticRegression>(
      {.id = "logistic-regression",
       .summary = "Bayesian logistic regression on CSV, LIBSVM or IDX files, with a normal prior",
       .details =
           "P(positive | x) = 1 / (1 + exp(-x theta)), theta_j ~ N(0, prior_variance):\n"
           "U(theta) = sum_n log(1 + exp(-s_n x_n theta)) + |theta|^2 / (2 prior_variance), "
           "s_n = +1 for the positive label, else -1.\n"
           "Inputs: the columns of a CSV file in the order of `inputs` or of its header; indices 1 "
           "to the largest of a LIBSVM file, 0 where a line lacks one; pixels of IDX images, row "
           "by "
           "row, over 255. A row x_n is made of them in this order:\n"
           "1. powers: all inputs, then all squares, ... (no cross terms)\n"
           "2. projection: times a matrix of independent N(0, 1 / k), normal (i, j) being that of "
           "row i and replicate j in the stream of projection_seed and "
           "\"logistic-regression/projection\"\n"
           "3. standardize: each column less its mean and over its standard deviation (n - 1); a "
           "constant one is centred and left unscaled\n"
           "4. intercept: 1 before all\n"
           "Matrix, means and deviations are those of the training data for the test set too.\n"
           "Coefficients of a CSV file's columns are scalars with their names (age, age^2); those "
           "of other formats and of projections are the array beta, from 0, beside the scalar "
           "intercept: beta[i] is that of LIBSVM's index i + 1, or of the pixel in row i / width, "
           "column i % width. One gradient takes 4 N d multiplications and additions.\n"
           "Metric: the expected information X' diag(p (1 - p)) X plus the prior's I / "
           "prior_variance, N d^2 multiplications and additions; its contracted derivative takes "
           "2 N d^2.",
       .sources = {"Girolami & Calderhead 2011, J. R. Stat. Soc. B 73, section 7 (metric)"}});
}
