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
      fields.text("data", source.data).file().required().help("the cases; plain or gzipped");
      declare_format(fields, source);
      declare_classes(fields, source.classes);
      declare_columns(fields, source);
      declare_features(fields, recipe);
      declare_scale(fields, recipe);
      regression::declare_prior(fields, prior_variance);
      declare_test(fields, source);
      regression::csv_only(fields, fields.named_points("predict", predict))
          .help(
              "csv: predict.NAME = { input = value, factor = \"level\", ... }: record the "
              "probability of the positive label there, inputs in their original units; the column "
              "of `offset` may be given too, and is 0 otherwise");
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
           "prior_variance), s_n = +1 for the positive label, else -1; offsets o_n are 0 and "
           "weights w_n 1 unless the table has them.\n"
           "Inputs: the columns of a CSV file in the order of `inputs` or of its header; indices 1 "
           "to the largest of a LIBSVM file, 0 where a line lacks one; pixels of IDX images, row "
           "by row, over 255. A row x_n is made of them in this order:\n"
           "1. powers: all inputs, then all squares, ... (no cross terms)\n"
           "2. projection: times a matrix of independent N(0, 1 / k), normal (i, j) being that of "
           "row i and replicate j in the stream of projection_seed and "
           "\"logistic-regression/projection\"\n"
           "3. standardize: each column less its mean and over its standard deviation (n - 1); a "
           "constant one is centred and left unscaled\n"
           "4. intercept: 1 before all\n"
           "5. factors: for each level of a factor but the first, in rising order, 1 where a case "
           "has it, as it is\n"
           "Matrix, means and deviations are those of the training data for the test set too.\n"
           "Coefficients of a CSV file's columns are scalars with their names (age, age^2); those "
           "of other formats and of projections are the array beta, from 0, beside the scalar "
           "intercept: beta[i] is that of LIBSVM's index i + 1, or of the pixel in row i / width, "
           "column i % width. Those of a factor are an array with its name, and its levels as "
           "labels. One gradient takes 4 N d multiplications and additions.\n"
           "Metric: the expected information X' diag(p (1 - p)) X plus the prior's I / "
           "prior_variance, N d^2 multiplications and additions; its contracted derivative takes 2 "
           "N d^2. Sum of terms: U_0 is the prior's, u_n that of training case n. Recorded of "
           "cases (run.predictive): w_n times the log probability of the label, and labels drawn "
           "anew.",
       .sources = {"Girolami & Calderhead 2011, J. R. Stat. Soc. B 73, section 7 (metric)"}});
}
