// Model `bayesian-neural-network`: a classifier with one hidden layer.
// SPDX-License-Identifier: Apache-2.0
#include "bayesian-neural-network/cases.hpp"
#include "bayesian-neural-network/likelihood.hpp"
#include "bayesian-neural-network/output_block.hpp"
#include "bayesian-neural-network/precision_prior.hpp"
#include "bayesian-neural-network/shape.hpp"
#include "bayesian-neural-network/table.hpp"

#include <mixwell/plugin.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mixwell::network {
namespace {

using TestSet = LabelPredictions<Likelihood>;

struct Keys {
  Source source;
  std::optional<std::int64_t> cases;
  bool validate = false;
  std::int64_t hidden = 100;
  double shape = 1.0;
  double rate = 1.0;

  void declare(Fields& fields) {
    source.declare(fields);
    fields.integer("cases", cases)
        .at_least(1)
        .help("number of training cases, taken from the beginning of `data`");
    fields.flag("validate", validate)
        .help("use the remaining cases of `data`, which are not used for training, as test cases");
    fields.integer("hidden", hidden).at_least(1).at_most(1000000).help("H, number of hidden units");
    fields.number("shape", shape).above(0).help("shape of the gamma prior of the four precisions");
    fields.number("rate", rate)
        .above(0)
        .help(
            "rate of the gamma prior of the four precisions, with density l^(shape-1) exp(-rate "
            "l)");
  }
};

/// The data that the keys describe.
struct Data {
  Cases training;
  std::optional<Cases> test{};
  std::vector<std::string> classes;
  std::vector<std::string> remarks{};
};

/// The number of training cases among the `all` cases.
Index training_cases(const Keys& keys, Index all) {
  const auto wanted = static_cast<Index>(keys.cases.value_or(all));
  if (wanted > all)
    throw ParameterError(
        "cases", "must be at most " + std::to_string(all) + ", the number of cases in `data`.");
  if (keys.validate && keys.source.test)
    throw ParameterError("validate",
                         "cannot be combined with `test`, which gives another test set. Remove one "
                         "of the two keys.");
  if (keys.validate && wanted == all)
    throw ParameterError("validate",
                         "needs cases that are not used for training. Set `cases` to less than " +
                             std::to_string(all));
  return wanted;
}

Data read(const Keys& keys) {
  keys.source.require_keys();
  const Table table = training_table(keys.source);
  Data data{.training = {}, .classes = classes_of(table)};
  if (data.classes.size() < 2)
    throw InputError(table.labels_of +
                     ": a classifier needs at least two different labels, but the data have " +
                     (data.classes.empty() ? "none" : "only " + quoted(data.classes.front())) +
                     ". Add cases with other labels.");
  data.remarks = table.remarks;
  Cases all = cases_of(table, data.classes);
  const Index count = training_cases(keys, all.size());
  if (keys.validate) data.test = some(all, count, all.size() - count);
  if (keys.source.test) {
    const Table test = test_table(keys.source, table);
    data.test = cases_of(test, data.classes);
    data.remarks.insert(data.remarks.end(), test.remarks.begin(), test.remarks.end());
  }
  data.training = count == all.size() ? std::move(all) : some(all, 0, count);
  return data;
}

std::string precision_name(const char* group) { return std::string(group) + "_precision"; }

class BayesianNeuralNetwork final : public Model,
                                    public Prior,
                                    public DataDraws,
                                    public SumOfTerms,
                                    public ConditionalDraws {
 public:
  using Params = Keys;
  explicit BayesianNeuralNetwork(const Params& params)
      : BayesianNeuralNetwork(params, read(params)) {}

  std::vector<Parameter> parameters() const override {
    const auto [inputs, hidden, classes] = shape_;
    std::vector<Parameter> all = {
        {.name = group_names[hidden_weights],
         .shape = {inputs, hidden},
         .dims = {"input", "hidden_unit"}},
        {.name = group_names[hidden_bias], .shape = {hidden}, .dims = {"hidden_unit"}},
        {.name = group_names[output_weights],
         .shape = {hidden, classes},
         .dims = {"hidden_unit", "class"}},
        {.name = group_names[output_bias], .shape = {classes}, .dims = {"class"}}};
    for (const char* const group : group_names)
      all.push_back(
          {.name = precision_name(group), .shape = {}, .constraint = Constraint::positive()});
    return all;
  }
  std::vector<Labels> labels() const override { return {{.dim = "class", .labels = classes_}}; }
  std::vector<std::string> remarks() const override { return remarks_; }
  /// The gradient with respect to the hidden weights grows with the output weights.
  GradientGrowth gradient_growth() const noexcept override {
    return GradientGrowth::locally_lipschitz;
  }
  /// The potential of a block of output weights and biases. Null for other blocks, and if the cache
  /// would be very large.
  std::shared_ptr<const ConditionalPotential> conditional_potential(
      const std::vector<Index>& coordinates) const override {
    if (!OutputBlock::suits(shape_, terms(), coordinates)) return nullptr;
    return std::make_shared<OutputBlock>(shape_, prior_, likelihood_, coordinates);
  }

  /// Draws the precisions, then the weights given them.
  void draw(const Stream& stream, Address at, Batch theta) const override {
    const Eigen::MatrixXd none(1, 0);
    each_column(stream, at, theta, [&](RandomNumbers& random, double* x) {
      for (std::size_t g = 0; g < groups; ++g) {
        prior_.draw(random, none, x + shape_.precision(g));
        PrecisionPrior::draw_numbers(random, x + shape_.precision(g), weights(x, g));
      }
    });
  }
  std::shared_ptr<Model> with_data_at(ConstBatch theta, const Stream& stream,
                                      Address at) const override;

  Index terms() const noexcept override { return likelihood_.cases().size(); }
  void evaluate_rest(ConstBatch theta, const Evaluation& out) const override;
  void evaluate_terms(ConstBatch theta, ConstBatch indices, const Evaluation& out) const override;

  std::vector<std::vector<std::string>> conditionals() const override {
    std::vector<std::string> precisions;
    for (const char* const group : group_names) precisions.push_back(precision_name(group));
    return {precisions};
  }
  void draw_conditional(std::size_t, const Stream& stream, Address at, Batch theta,
                        Workspace&) const override {
    each_column(stream, at, theta, [&](RandomNumbers& random, double* x) {
      for (std::size_t g = 0; g < groups; ++g)
        prior_.draw(random, weights(x, g), x + shape_.precision(g));
    });
  }

 private:
  void offer(Offer& offer) const noexcept override { offer.set<Prediction>(test_.get()); }
  BayesianNeuralNetwork(const Params& params, Data data)
      : shape_{data.training.inputs.rows(), params.hidden, std::ssize(data.classes)},
        prior_(params.shape, params.rate),
        likelihood_(shape_, std::move(data.training)),
        classes_(std::move(data.classes)),
        remarks_(std::move(data.remarks)) {
    if (!data.test) return;
    std::vector<Index> right = data.test->classes;
    test_ = std::make_unique<TestSet>(shape_.classes, std::move(right),
                                      Likelihood(shape_, *std::move(data.test)));
  }
  BayesianNeuralNetwork(const BayesianNeuralNetwork& other, Cases cases)
      : shape_(other.shape_),
        prior_(other.prior_),
        likelihood_(shape_, std::move(cases)),
        classes_(other.classes_) {
    set_name(other.name());
  }

  MatrixMap weights(double* theta, std::size_t group) const {
    return {theta + shape_.first(group), 1, shape_.size(group)};
  }
  ConstMatrixMap weights(const double* theta, std::size_t group) const {
    return {theta + shape_.first(group), 1, shape_.size(group)};
  }

  bool evaluates_potential_alone() const noexcept override { return true; }
  void do_evaluate(ConstBatch theta, const Evaluation& out) const override;
  /// A tenth of the default, so weights start near 0 and precisions near 1.
  void do_initial(const Stream& stream, Address at, Batch theta) const override {
    Model::do_initial(stream, at, theta);
    theta *= 0.1;
  }

  Shape shape_;
  PrecisionPrior prior_;  ///< prior of the precision of each group
  Likelihood likelihood_;
  std::vector<std::string> classes_;
  std::vector<std::string> remarks_;
  std::unique_ptr<const TestSet> test_;
};

/// The label of case n is the first class whose cumulative probability exceeds uniform number n.
std::shared_ptr<Model> BayesianNeuralNetwork::with_data_at(ConstBatch theta, const Stream& stream,
                                                           Address at) const {
  Cases drawn = likelihood_.cases();
  Eigen::MatrixXd uniform(drawn.size(), 1);
  stream.uniforms(at, uniform);
  Eigen::MatrixXd probability(shape_.classes, drawn.size());
  Workspace scratch;
  likelihood_.probabilities(theta.col(0).data(), {probability.data(), shape_.classes, drawn.size()},
                            scratch);
  for (Index n = 0; n < drawn.size(); ++n) {
    Index label = 0;
    for (double below = probability(0, n); below < uniform(n, 0) && label + 1 < shape_.classes;)
      below += probability(++label, n);
    drawn.classes[static_cast<std::size_t>(n)] = label;
  }
  return std::shared_ptr<Model>(new BayesianNeuralNetwork(*this, std::move(drawn)));
}

void BayesianNeuralNetwork::evaluate_rest(ConstBatch theta, const Evaluation& out) const {
  by_column::set(theta, out, [&](const double* x, double* g, Index) {
    double u = 0.0;
    for (std::size_t k = 0; k < groups; ++k) {
      const double* const h = x + shape_.precision(k);
      if (g != nullptr)
        prior_.add(weights(x, k), h, u, weights(g, k), g + shape_.precision(k));
      else
        u += prior_.potential(weights(x, k), h);
    }
    return u;
  });
}

void BayesianNeuralNetwork::evaluate_terms(ConstBatch theta, ConstBatch indices,
                                           const Evaluation& out) const {
  by_column::set(theta, out, [&](const double* x, double* g, Index r) {
    return likelihood_.add_some(x, indices.col(r).data(), indices.rows(), g, out.scratch);
  });
}

/// Costs one evaluation of the prior, and 6 N H (d + C) operations for each column. U without its
/// gradient costs a third of these operations.
void BayesianNeuralNetwork::do_evaluate(ConstBatch theta, const Evaluation& out) const {
  evaluate_rest(theta, out);
  by_column::add(theta, out, [&](const double* x, double* g, Index) {
    return g != nullptr ? likelihood_.add(x, g, out.scratch)
                        : likelihood_.potential(x, out.scratch);
  });
}

}  // namespace
}  // namespace mixwell::network

MIXWELL_PLUGIN(registrar) {
  registrar.add<mixwell::network::BayesianNeuralNetwork>(
      {.id = "bayesian-neural-network",
       .summary = "A Bayesian classifier with one hidden layer of sigmoid units and softmax output",
       .details =
           "P(class c | x) = softmax_c(A' s(B'x + b) + a), where s(z) = 1 / (1 + exp(-z)) and H is "
           "the number of hidden units. The parameters are `hidden_weights` B (d x H), "
           "`hidden_bias` b, `output_weights` A (H x C) and `output_bias` a. Each of these four "
           "groups has its own precision l. The prior of its elements is N(0, 1 / l), and the "
           "prior density of l is proportional to l^(shape-1) exp(-rate l). U = -sum_n log P(class "
           "of n | x_n) - log prior.\n"
           "Chen, Fox & Guestrin write exp(-l |A|^2) for the prior, so their l is half of the l "
           "here. Their shape 1 and rate 1 correspond to shape = 1 and rate = 0.5 here.\n"
           "The data formats are the same as in model `logistic-regression`, but the data can have "
           "more than two labels. Pixels of images are divided by 255; other inputs are not "
           "scaled. With N cases, an evaluation needs 6 N H (d + C) operations, in matrix products "
           "over 256 cases at a time. If only `output_weights` and `output_bias` change, an "
           "evaluation needs 4 N H C operations. It then uses a cache of N H numbers for each "
           "replicate. As a sum of terms, U = U_0 + sum_n u_n, where U_0 is the prior's term and "
           "u_n is the term of training case n.\n"
           "Kernel `conditional` draws the four precisions given the weights. The test error of a "
           "run is the share of test cases whose true label is not the most probable label. The "
           "probabilities are averaged over the draws.",
       .sources = {"Chen, Fox & Guestrin 2014, ICML, eqs. 27 and 28",
                   "Neal 1996, Bayesian Learning for Neural Networks"}});
}
