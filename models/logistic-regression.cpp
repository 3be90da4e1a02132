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
  Points(const Design& design, const NamedNumbers& points,
         const std::vector<std::string>& parameter_names)
      : x_(static_cast<Index>(points.size()), static_cast<Index>(parameter_names.size())) {
    for (const auto& [name, values] : points) {
      require_name(name, parameter_names);
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
  static void require_name(const std::string& name, const std::vector<std::string>& taken) {
    if (logistic::is_reserved(name) || std::find(taken.begin(), taken.end(), name) != taken.end())
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

class LogisticRegression final : public Model, public Prior {
 public:
  struct Params {
    std::string data;
    logistic::Selection selection;
    double prior_variance = 100;
    std::optional<std::string> test;
    NamedNumbers predict;

    void declare(Fields& fields) {
      fields.text("data", data).file().required().help("CSV with a header, a row for each case");
      fields.text("response", selection.response).required().help("column of the label");
      fields.text("positive", selection.positive)
          .help("label counted as 1, all others as 0; by default the larger of two");
      fields.texts("inputs", selection.inputs)
          .help("columns to regress on; by default all but the response");
      fields.flag("standardize", selection.standardize)
          .help("scale columns to mean 0, standard deviation 1 (n - 1)");
      fields.flag("intercept", selection.intercept).help("a first coefficient for the constant 1");
      fields.integer("powers", selection.powers)
          .at_least(1)
          .at_most(16)
          .help("inputs, their squares, ... up to this power");
      fields.number("prior_variance", prior_variance)
          .above(0)
          .help("of N(0, prior_variance), the prior of each coefficient");
      fields.text("test", test).file().help("CSV with the same columns, for the test error");
      fields.named_numbers("predict", predict)
          .help(
              "predict.NAME = { input = value, ... }: record the probability of the positive "
              "label there, inputs in their original units");
    }
  };

  explicit LogisticRegression(const Params& params)
      : LogisticRegression(params, CsvTable(params.data)) {}

  std::vector<Parameter> parameters() const override {
    std::vector<Parameter> all;
    for (const std::string& name : names_) all.push_back({.name = name, .shape = {}});
    return all;
  }
  std::vector<std::string> remarks() const override { return remarks_; }
  const Derived* as_derived() const noexcept override { return points_.get(); }
  const Prediction* as_prediction() const noexcept override { return test_.get(); }
  const Prior* as_prior() const noexcept override { return this; }

  void draw(const Stream& stream, Draw at, Batch theta) const override {
    stream.normals(at, theta);
    theta *= std::sqrt(prior_variance_);
  }

 private:
  LogisticRegression(const Params& params, const CsvTable& table)
      : LogisticRegression(params, table, Design(table, params.selection)) {}

  LogisticRegression(const Params& params, const CsvTable& table, const Design& design)
      : LogisticRegression(params, design, design.cases(table)) {}

  LogisticRegression(const Params& params, const Design& design, Cases cases)
      : likelihood_(std::move(cases.x), cases.positive), prior_variance_(params.prior_variance) {
    for (const std::string& column : design.constant_columns())
      remarks_.push_back("Column \"" + column + "\" of " + params.data +
                         " is constant: centred, left unscaled, its coefficient keeps its prior.");
    names_ = logistic::safe_names(design.names(), remarks_);
    if (!params.predict.empty()) points_ = std::make_unique<Points>(design, params.predict, names_);
    if (params.test) test_ = std::make_unique<TestSet>(design.cases(CsvTable(*params.test)));
  }

  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    Batch gradient = out.gradient;
    gradient = theta / prior_variance_;
    if (out.wants_potential()) out.u() = (0.5 / prior_variance_) * theta.colwise().squaredNorm();
    likelihood_.add_to(theta, out);
  }

  Likelihood likelihood_;
  double prior_variance_;
  std::vector<std::string> names_;
  std::vector<std::string> remarks_;
  std::unique_ptr<const Points> points_;
  std::unique_ptr<const TestSet> test_;
};

}  // namespace
}  // namespace mixwell

MIXWELL_PLUGIN(registrar) {
  registrar.add<mixwell::LogisticRegression>(
      {.id = "logistic-regression",
       .summary = "Bayesian logistic regression on a CSV file, with a normal prior",
       .details =
           "P(positive | x) = 1 / (1 + exp(-x theta)), theta_j ~ N(0, prior_variance):\n"
           "U(theta) = sum_n log(1 + exp(-s_n x_n theta)) + |theta|^2 / (2 prior_variance), "
           "s_n = +1 for the positive label, else -1.\n"
           "A row x_n: 1 (intercept), then all inputs in the order of `inputs` or of the header, "
           "then their squares, ... (no cross terms), standardised after that with the mean and "
           "the standard deviation (n - 1) of the training data, the test set likewise. A "
           "constant column is centred and left unscaled. Coefficients carry the names of their "
           "columns: age, age^2. One gradient takes 4 N d multiplications and additions.",
       .sources = {}});
}
