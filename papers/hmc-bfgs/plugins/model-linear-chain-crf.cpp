// Model `linear-chain-crf`: a Bayesian conditional random field that tags the tokens of sentences.
// SPDX-License-Identifier: Apache-2.0
#include "linear-chain-crf/features.hpp"
#include "linear-chain-crf/likelihood.hpp"
#include "linear-chain-crf/panel.hpp"
#include "linear-chain-crf/sentences.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mixwell::crf {
namespace {

/// A case is a token.
using TestSet = LabelPredictions<Likelihood>;

struct Keys {
  std::string data;
  std::optional<std::string> test;
  std::optional<std::int64_t> sentences;
  std::vector<std::string> columns = {"word", "pos"};
  std::string tags = "whole";
  std::vector<std::string> features = {"pos"};
  std::optional<std::int64_t> most;
  bool bias = true;
  double prior_variance = 10.0;

  void declare(Fields& fields) {
    fields.text("data", data)
        .file()
        .required()
        .help("file of the training sentences, with one token on each line; plain or gzipped");
    fields.text("test", test)
        .file()
        .help("file of test sentences in the format of `data`, for the test error");
    fields.integer("sentences", sentences)
        .at_least(1)
        .help("number of training sentences, taken from the beginning of `data`");
    fields.texts("columns", columns)
        .help("names of all columns except the last one, which is the tag");
    fields.text("tags", tags)
        .one_of({"whole", "position"})
        .help(
            "whole: use whole tags; position: keep only the part before the dash, such as B of "
            "B-NP");
    fields.texts("features", features)
        .help(
            "columns whose words are features, with an optional offset: pos[-1] is pos of the "
            "previous token");
    fields.integer("most", most)
        .at_least(1)
        .help("keep only this many features, the most frequent ones");
    fields.flag("bias", bias).help("add a feature that every token has");
    fields.number("prior_variance", prior_variance)
        .above(0)
        .help("variance of the prior N(0, prior_variance) of each weight");
  }
};

/// The data that the keys describe.
struct Data {
  Sentences training;
  std::optional<Sentences> test{};
  std::vector<std::string> features;
  std::vector<std::string> tags;
};

Data read(const Keys& keys) {
  std::vector<Template> templates;
  for (const std::string& text : keys.features)
    templates.push_back(to_template(text, keys.columns));
  const Columns columns{.names = keys.columns, .position = keys.tags == "position"};
  constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
  const std::size_t wanted = keys.sentences ? static_cast<std::size_t>(*keys.sentences) : all;
  const std::vector<Sentence> training = read_sentences(keys.data, columns, wanted);
  if (keys.sentences && training.size() < wanted)
    throw ParameterError("sentences", "must be at most " + std::to_string(training.size()) +
                                          ", the number of sentences in `data`.");
  const FeatureMap map(training, templates, keys.bias, keys.most);
  Data data{.training = {}, .features = map.names(), .tags = tags_of(training)};
  if (data.tags.size() < 2)
    throw InputError(keys.data +
                     ": the model needs at least two different tags, but all tags are \"" +
                     data.tags.front() + "\". Add sentences with other tags.");
  data.training = map.numbers(training, data.tags);
  if (keys.test) data.test = map.numbers(read_sentences(*keys.test, columns, all), data.tags);
  return data;
}

class LinearChainCrf final : public Model, public Prior, public DataDraws, public SumOfTerms {
 public:
  using Params = Keys;
  explicit LinearChainCrf(const Params& params) : LinearChainCrf(params, read(params)) {}

  std::vector<Parameter> parameters() const override {
    return {
        {.name = "emission", .shape = {shape_.features, shape_.tags}, .dims = {"feature", "tag"}},
        {.name = "transition", .shape = {shape_.tags, shape_.tags}, .dims = {"tag", "next_tag"}}};
  }
  std::vector<Labels> labels() const override {
    return {{.dim = "feature", .labels = features_},
            {.dim = "tag", .labels = tags_},
            {.dim = "next_tag", .labels = tags_}};
  }
  GradientGrowth gradient_growth() const noexcept override { return GradientGrowth::lipschitz; }

  void draw(const Stream& stream, Address at, Batch theta) const override {
    stream.normals(at, theta);
    theta *= std::sqrt(prior_variance_);
  }
  std::shared_ptr<Model> with_data_at(ConstBatch theta, const Stream& stream,
                                      Address at) const override {
    Eigen::MatrixXd uniforms(likelihood_.sentences().tokens(), 1);
    stream.uniforms(at, uniforms);
    return std::shared_ptr<Model>(
        new LinearChainCrf(*this, likelihood_.drawn(theta.col(0).data(), uniforms.col(0))));
  }

  Index terms() const noexcept override { return likelihood_.sentences().size(); }
  void evaluate_rest(ConstBatch theta, const Evaluation& out) const override {
    Batch g = out.gradient;
    if (out.wants_gradient()) g = theta / prior_variance_;
    if (out.wants_potential()) out.u() = (0.5 / prior_variance_) * theta.colwise().squaredNorm();
  }
  void evaluate_terms(ConstBatch theta, ConstBatch indices, const Evaluation& out) const override {
    by_column::set(theta, out, [&](const double* x, double* g, Index r) {
      return likelihood_.add_some(x, indices.col(r).data(), indices.rows(), g, out.scratch);
    });
  }

 private:
  void offer(Offer& offer) const noexcept override { offer.set<Prediction>(test_.get()); }
  LinearChainCrf(const Params& params, Data data)
      : shape_{std::ssize(data.features), std::ssize(data.tags)},
        prior_variance_(params.prior_variance),
        likelihood_(shape_, std::move(data.training)),
        features_(std::move(data.features)),
        tags_(std::move(data.tags)) {
    if (!data.test) return;
    std::vector<Index> right = data.test->tags;
    test_ = std::make_unique<TestSet>(shape_.tags, std::move(right),
                                      Likelihood(shape_, *std::move(data.test)));
  }
  LinearChainCrf(const LinearChainCrf& other, Sentences sentences)
      : shape_(other.shape_),
        prior_variance_(other.prior_variance_),
        likelihood_(shape_, std::move(sentences)),
        features_(other.features_),
        tags_(other.tags_) {
    set_name(other.name());
  }

  bool evaluates_potential_alone() const noexcept override { return true; }
  /// Costs L^2 exponentials for each token and column. The gradient needs no further exponentials.
  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    evaluate_rest(theta, out);
    by_column::add(theta, out, [&](const double* x, double* g, Index) {
      return g != nullptr ? likelihood_.add(x, g, out.scratch)
                          : likelihood_.potential(x, out.scratch);
    });
  }

  Shape shape_;
  double prior_variance_;
  Likelihood likelihood_;
  std::vector<std::string> features_;
  std::vector<std::string> tags_;
  std::unique_ptr<const TestSet> test_;
};

}  // namespace
}  // namespace mixwell::crf

MIXWELL_PLUGIN(registrar) {
  registrar.add<mixwell::crf::LinearChainCrf>(
      {.id = "linear-chain-crf",
       .summary =
           "A Bayesian linear-chain conditional random field that tags the tokens of sentences",
       .details =
           "P(tags y | sentence) = exp(score) / Z, with score = sum_t sum_f emission[f, y_t] + "
           "sum_t transition[y_(t-1), y_t]. Here f runs over the features of token t. The elements "
           "of `emission` and `transition` are the weights, and each has the prior N(0, "
           "prior_variance). U = |theta|^2 / (2 prior_variance) + sum over sentences of (log Z - "
           "score), where theta contains all weights.\n"
           "Each line of a file has the columns and the tag of one token, separated by blanks. An "
           "empty line ends a sentence. A feature of a token is the word in a column, either of "
           "the token itself or of the token at a given offset from it. Only features that occur "
           "in the training sentences are used. Positions before and after a sentence have the "
           "word `(outside)`. Sentences are processed 32 at a time. The forward pass uses "
           "logarithms, and the backward pass uses probabilities. With L tags, each token costs "
           "L^2 exponentials. As a sum of terms, U = U_0 + sum_n u_n, where U_0 is the prior's "
           "term and u_n is the term of sentence n.\n"
           "The test error of a run is the share of test tokens whose true tag is not the most "
           "probable tag given the sentence. The probabilities are averaged over the draws.",
       .sources = {"Lafferty, McCallum & Pereira 2001, ICML",
                   "Qi, Szummer & Minka 2005, AISTATS (Bayesian)",
                   "Zhang & Sutton 2011, NIPS 24, section 5.2"}});
}
