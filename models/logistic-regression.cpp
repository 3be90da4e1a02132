// Model `logistic-regression`: Bayesian logistic regression on a table.
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
       .summary = "Bayesian logistic regression on CSV, LIBSVM or IDX files, with a normal prior",
       .details =
           "P(positive | x) = 1 / (1 + exp(-(x theta + o))), theta_j ~ N(0, prior_variance):\n"
           "U(theta) = sum_n w_n log(1 + exp(-s_n (x_n theta + o_n))) + |theta|^2 / (2 "
           "prior_variance), with s_n = +1 for the positive label and -1 for the other. Offsets "
           "o_n are 0 and weights w_n are 1 unless the table has them.\n"
           "Inputs are the columns of a CSV file, in the order of `inputs` or of the header. "
           "Inputs of a LIBSVM file are indices 1 to the largest, with 0 where a line lacks an "
           "index. Inputs of IDX images are the pixels, row by row, divided by 255. A row x_n is "
           "made from the inputs in these steps:\n"
           "1. powers: all inputs, then all squares, ... (no cross terms)\n"
           "2. projection: multiply by a matrix of independent N(0, 1 / k); entry (i, j) uses the "
           "normal of row i and replicate j in the stream of projection_seed and "
           "\"logistic-regression/projection\"\n"
           "3. standardize: subtract the mean of each column and divide by its standard deviation "
           "(n - 1); a constant column is centred and not scaled\n"
           "4. intercept: put 1 in front\n"
           "5. factors: for each level of a factor except the first, in rising order, a column "
           "that is 1 for cases with that level, and is not standardized\n"
           "The test set uses the matrix, means and deviations of the training data.\n"
           "Coefficients of a CSV file's columns are scalars with the names of the columns (age, "
           "age^2). Coefficients for other formats and for projections are the array beta, counted "
           "from 0, beside the scalar intercept: beta[i] belongs to LIBSVM's index i + 1, or to "
           "the pixel in row i / width, column i % width. Coefficients of a factor are an array "
           "with the name of the factor and the levels as labels.\n"
           "The inputs of a point in `predict` are in their original units. A point may also give "
           "a value for the column of `offset`; otherwise its offset is 0.\n"
           "A gradient takes 4 N d multiplications and additions. The metric is the expected "
           "information X' diag(p (1 - p)) X plus the prior's I / prior_variance, in N d^2 "
           "multiplications and additions. Its contracted derivative takes 2 N d^2. As a sum of "
           "terms, U = U_0 + sum_n u_n, where U_0 is the prior's term and u_n is the term of "
           "training case n. For each case, a run can record w_n times the log probability of its "
           "label, and a label drawn from the model (see the key `run.predictive`).",
       .sources = {"Girolami & Calderhead 2011, J. R. Stat. Soc. B 73, section 7 (metric)"}});
}
