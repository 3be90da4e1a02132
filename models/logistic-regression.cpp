// Model `logistic-regression`: Bayesian logistic regression; cases from a table.
// SPDX-License-Identifier: Apache-2.0
#include "logistic-regression/points.hpp"
#include "regression/keys.hpp"
#include "regression/posterior.hpp"

#include <mixwell/plugin.hpp>

namespace mixwell::logistic {
namespace {

using regression::LabelledData;

class LogisticRegression final : public regression::Posterior<logistic::Link> {
 public:
  struct Params {
    regression::Source source;
    regression::Recipe recipe;
    double prior_variance = 100;
    NamedPoints predict;

    void declare(Fields& fields) {
      fields.text("data", source.data)
          .file()
          .required()
          .help("file of the cases, plain or gzipped");
      declare_format(fields, source);
      declare_classes(fields, source.classes);
      declare_columns(fields, source);
      declare_features(fields, recipe);
      declare_scale(fields, recipe);
      regression::declare_prior(fields, prior_variance);
      declare_test(fields, source);
      regression::csv_only(fields, fields.named_points("predict", predict))
          .help(
              "csv: points at which to record P(positive): predict.NAME = { input = value, "
              "factor = \"level\", ... }");
    }
  };

  explicit LogisticRegression(const Params& params)
      : LogisticRegression(
            params, {regression::training_table(checked(params)), params.recipe, params.source}) {}

 private:
  void offer(Offer& offer) const noexcept override {
    Posterior::offer(offer);
    offer.set<Derived>(points_.get());
  }

  LogisticRegression(const Params& params, const LabelledData& data)
      : Posterior(data, params.source, params.prior_variance) {
    if (params.predict.empty()) return;
    std::vector<std::string> remarks;
    points_ = std::make_unique<Points>(data.design, params.source.offset, params.predict, remarks);
    points_->require_free_names(data.coefficients.parameters);
    add_remarks(remarks);
  }

  static const regression::Source& checked(const Params& params) {
    require_keys(params.source);
    return params.source;
  }

  std::unique_ptr<const Points> points_;
};

}  // namespace
}  // namespace mixwell::logistic

MIXWELL_PLUGIN(registrar) {
  registrar.add<mixwell::logistic::LogisticRegression>(
      {.id = "logistic-regression",
       .summary =
           "Bayesian logistic regression with a normal prior; cases from CSV, LIBSVM or IDX files",
       .details =
           "P(positive | x) = 1 / (1 + exp(-(x theta + o))), theta_j ~ N(0, prior_variance):\n"
           "U(theta) = sum_n w_n log(1 + exp(-s_n (x_n theta + o_n))) + |theta|^2 / (2 "
           "prior_variance), with s_n = +1 for the positive label and -1 for the other. Offsets "
           "o_n are 0 and weights w_n are 1 unless the table has them.\n"
           "The inputs of a CSV file are the columns in `inputs`, in this order. By default, they "
           "are all columns that no other key names, in the order of the header. Inputs of a "
           "LIBSVM file are numbered from 1 to the largest index in `data`. An input is 0 if the "
           "line lacks its index. Inputs of IDX images are the pixels, row by row, divided by 255. "
           "A row x_n is made from the inputs in these steps:\n"
           "1. powers: all inputs, then all squares, ... (no cross terms)\n"
           "2. projection: multiply by a matrix with k = `projection` columns and independent N(0, "
           "1 / k) entries. Entry (i, j) is normal random number i of replicate j, divided by "
           "sqrt(k). The random stream is identified by `projection_seed` and the name "
           "\"logistic-regression/projection\"\n"
           "3. standardize: subtract the mean of each column and divide by its standard deviation "
           "(denominator n - 1). A constant column is centred and not scaled\n"
           "4. intercept: put 1 in front\n"
           "5. factors: add a column for each level of a factor except its first level, in rising "
           "order of levels. The column is 1 for cases with that level and 0 for other cases. It "
           "is not standardized\n"
           "The rows of test cases are made with the projection matrix, means and standard "
           "deviations of the training data.\n"
           "The intercept is the scalar `intercept`. Coefficients of a CSV file's columns are "
           "scalars with the names of the columns (age, age^2). For other formats and for "
           "projections, the coefficients are the array `beta`, whose indices start at 0. beta[i] "
           "is the coefficient of LIBSVM index i + 1, or of the pixel in row i / width, column i % "
           "width. The coefficients of a factor form an array that has the factor's name. Its "
           "elements are labelled with all levels except the first.\n"
           "The inputs of a point in `predict` are in their original units. A point may also give "
           "a value for the column of `offset`; otherwise its offset is 0.\n"
           "A gradient takes 4 N d multiplications and additions. The metric is the expected "
           "information X' diag(p (1 - p)) X plus the prior precision I / prior_variance. "
           "Computing it takes N d^2 multiplications and additions. Computing its derivative "
           "contracted with a matrix takes 2 N d^2 multiplications and additions. As a sum of "
           "terms, U = U_0 + sum_n u_n, where U_0 is the prior's term and u_n is the term of "
           "training case n. For each case, a run can record w_n times the log probability of its "
           "label, and a label drawn from the model (see the key `run.predictive`).",
       .sources = {"Girolami & Calderhead 2011, J. R. Stat. Soc. B 73, section 7 (metric)"}});
}
