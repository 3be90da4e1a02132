// Model `probit-regression`: Bayesian probit regression on a table or on simulated cases.
// SPDX-License-Identifier: Apache-2.0
#include "probit-regression/likelihood.hpp"
#include "regression/coefficients.hpp"
#include "regression/keys.hpp"
#include "regression/posterior.hpp"
#include "regression/simulated.hpp"
#include "regression/test_set.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>
#include <utility>

namespace mixwell::probit {
namespace {

using Eigen::RowVectorXd;
using Eigen::VectorXd;
using regression::Cases;
using regression::Design;
using regression::Table;

const std::string id = "probit-regression";

/// z -> Phi(z).
void to_probabilities(Batch z) { z = z.unaryExpr(&probit::below); }

/// What the keys make of themselves.
struct Data {
  Cases cases;
  std::vector<Parameter> parameters;
  std::vector<std::string> remarks;
  std::unique_ptr<const regression::TestSet> test;
};

class ProbitRegression final : public regression::Posterior<probit::Link> {
 public:
  struct Params {
    std::optional<std::string> data;
    regression::Source source;
    regression::Recipe recipe;
    regression::Simulation simulation;
    double prior_variance = 100;

    void declare(Fields& fields) {
      fields.text("data", data).file().help("the cases, plain or gzipped; or simulate them");
      declare_format(fields, source);
      declare_recipe(fields, source, recipe);
      regression::declare_prior(fields, prior_variance);
      declare_test(fields, source);
      simulation.declare(fields);
    }
  };

  explicit ProbitRegression(const Params& params) : ProbitRegression(params, make_data(params)) {}

  std::vector<Parameter> parameters() const override { return parameters_; }
  std::vector<std::string> remarks() const override { return remarks_; }
  const Prediction* as_prediction() const noexcept override { return test_.get(); }

 private:
  ProbitRegression(const Params& params, Data data)
      : Posterior(data.cases, params.prior_variance),
        parameters_(std::move(data.parameters)),
        remarks_(std::move(data.remarks)),
        test_(std::move(data.test)) {}

  static Data make_data(const Params& params) {
    if (regression::is_simulated(params.simulation, params.data.has_value()))
      return simulate(params);
    regression::Source source = params.source;
    source.data = *params.data;
    require_keys(source);
    const Table table = regression::training_table(source, params.recipe.labels);
    const Design design(table, params.recipe);
    Data data = described(design, table);
    data.cases = design.cases(table);
    if (source.test)
      data.test = std::make_unique<regression::TestSet>(
          design.cases(regression::test_table(source, params.recipe.labels, table)),
          &to_probabilities);
    return data;
  }

  /// Inputs go through the recipe like a table's; labels are drawn given the rows x that result.
  static Data simulate(const Params& params) {
    require_no_file_keys(params);
    const regression::Simulation& simulation = params.simulation;
    Table table;
    table.path = "the simulated cases";
    table.labels_of = table.path;
    table.inputs = regression::simulated_inputs(simulation, id).transpose();
    table.all_labels = {"0", "1"};
    const Design design(table, params.recipe);
    Data data = described(design, table);
    data.cases = design.cases(table);
    const Index d = data.cases.x.cols();
    const VectorXd theta =
        regression::simulated_parameter(simulation, id, d, 1.0 / std::sqrt(static_cast<double>(d)));
    const RowVectorXd z =
        (data.cases.x * theta).transpose() + regression::simulated_noise(simulation, id);
    for (const double latent : z) data.cases.positive.push_back(latent > 0);
    data.remarks.push_back(regression::remark_on(theta));
    return data;
  }

  static Data described(const Design& design, const Table& table) {
    Data data;
    data.remarks = remarks_on(design, table.path);
    data.parameters = coefficients(design, table.path, data.remarks);
    return data;
  }

  static void require_no_file_keys(const Params& params) {
    const auto refuse = [](const std::string& key, bool given) {
      if (given) throw ParameterError(key, "goes with data, which is not given");
    };
    refuse("format", params.source.format != "csv");
    refuse("labels", params.source.labels.has_value());
    refuse("response", params.source.response.has_value());
    refuse("positive", params.recipe.labels.positive.has_value());
    refuse("negative", params.recipe.labels.negative.has_value());
    refuse("inputs", !params.source.inputs.empty());
    refuse("test", params.source.test.has_value());
    refuse("test_labels", params.source.test_labels.has_value());
  }

  std::vector<Parameter> parameters_;
  std::vector<std::string> remarks_;
  std::unique_ptr<const regression::TestSet> test_;
};

}  // namespace
}  // namespace mixwell::probit

MIXWELL_PLUGIN(registrar) {
  registrar.add<mixwell::probit::ProbitRegression>(
      {.id = "probit-regression",
       .summary = "Bayesian probit regression on CSV, LIBSVM or IDX files or simulated cases, with "
                  "a normal prior",
       .details =
           "P(positive | x) = Phi(x theta), theta_j ~ N(0, prior_variance):\n"
           "U(theta) = sum_n -log Phi(s_n x_n theta) + |theta|^2 / (2 prior_variance), s_n = +1 "
           "for the positive label, else -1; Phi is the distribution function of N(0, 1), its "
           "logarithm and derivative by erfc, below -4 by Laplace's continued fraction.\n"
           "From data: files, rows x and names of coefficients are those of "
           "`logistic-regression`. Else cases are simulated: inputs a_n ~ N(0, C) with C_ij = "
           "correlation^|i - j|, an autoregression a_0 = z_0, a_i = r a_(i-1) + sqrt(1 - r^2) z_i; "
           "rows x_n are made of them as of a file's (powers, projection, standardize, intercept); "
           "one theta ~ N(0, I / d), shown in a remark; label 1 where x_n theta + e_n > 0, e_n ~ "
           "N(0, 1). The normals z are those of replicate n of the stream of simulate_seed and "
           "\"probit-regression/inputs\", those of theta of replicate 0 of "
           "\"probit-regression/parameter\", e_n that of replicate n of "
           "\"probit-regression/noise\".\n"
           "One gradient takes 4 N d multiplications and additions and N weights phi / Phi. "
           "Metric: the expected information X' diag(phi^2 / (Phi (1 - Phi))) X plus the prior's "
           "I / prior_variance, N d^2 multiplications and additions; its contracted derivative "
           "takes 2 N d^2. Sum of terms: U_0 is the prior's, u_n that of training case n.",
       .sources = {"Abramowitz & Stegun 1964, Handbook of Mathematical Functions, 26.2.14 (the "
                   "tail)",
                   "Girolami & Calderhead 2011, J. R. Stat. Soc. B 73, 123-214 (metric)"}});
}
