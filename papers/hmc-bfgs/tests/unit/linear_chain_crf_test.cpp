// Tests model `linear-chain-crf`: potential and probabilities by enumeration, features, errors.
// SPDX-License-Identifier: Apache-2.0
#include "../../plugins/linear-chain-crf/features.hpp"
#include "guest_models.hpp"
#include "unit/support.hpp"

#include <mixwell/contracts/model.hpp>

#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using guests::make_model;
using guests::refusal;
using mixwell::Model;
using support::contains;
using support::evaluate;
namespace crf = mixwell::crf;

/// Three sentences of 3, 1 and 2 tokens.
const std::string small =
    "Dogs NN B-NP\nbark VB B-VP\nloudly RB O\n\nStop VB B-VP\n\ncats NN B-NP\nsleep VB B-VP\n";

class Fixture {
 public:
  std::string file(const std::string& name, const std::string& text) const {
    return folder_.file(name, text);
  }
  std::string body(const std::string& text, const std::string& rest = "") const {
    return "use = \"linear-chain-crf\"\ndata = \"" + file("sentences.txt", text) + "\"\n" + rest;
  }

 private:
  support::TemporaryFolder folder_;
};

VectorXd position(const Model& model, double scale) {
  VectorXd theta(model.dimension());
  for (Index i = 0; i < theta.size(); ++i)
    theta[i] = scale * std::sin(1.0 + 2.3 * static_cast<double>(i));
  return theta;
}

/// Features 1, NN, RB, VB (rows) and tags B-NP, B-VP, O. Enumerates all sequences of tags.
class ByEnumeration {
 public:
  explicit ByEnumeration(const VectorXd& theta) : theta_(theta) {}

  double score(const std::vector<int>& pos, const std::vector<int>& tags) const {
    double sum = 0;
    for (std::size_t t = 0; t < pos.size(); ++t) {
      sum += theta_[tags[t]] + theta_[3 * pos[t] + tags[t]];
      if (t > 0) sum += theta_[12 + 3 * tags[t - 1] + tags[t]];
    }
    return sum;
  }

  /// Calls see(tags, P(tags)) for every sequence.
  template <class See>
  double each(const std::vector<int>& pos, const See& see) const {
    int count = 1;
    for (std::size_t t = 0; t < pos.size(); ++t) count *= 3;
    double top = -INFINITY;
    for (int k = 0; k < count; ++k) top = std::max(top, score(pos, tags_of(k, pos.size())));
    double total = 0;
    for (int k = 0; k < count; ++k) total += std::exp(score(pos, tags_of(k, pos.size())) - top);
    for (int k = 0; k < count; ++k) {
      const std::vector<int> tags = tags_of(k, pos.size());
      see(tags, std::exp(score(pos, tags) - top) / total);
    }
    return top + std::log(total);
  }
  double log_z(const std::vector<int>& pos) const {
    return each(pos, [](const std::vector<int>&, double) {});
  }

 private:
  static std::vector<int> tags_of(int code, std::size_t length) {
    std::vector<int> tags(length);
    for (int& tag : tags) {
      tag = code % 3;
      code /= 3;
    }
    return tags;
  }

  const VectorXd& theta_;
};

}  // namespace

TEST_CASE("a conditional random field satisfies the contract of a model", "[crf][slow]") {
  const Fixture fixture;
  std::string text;
  for (int n = 0; n < 40; ++n) text += small + "\n";  // more than a panel of 32
  const auto findings = mixwell::contracts::check_model(
      *make_model(fixture.body(text, "prior_variance = 2\nfeatures = [\"pos\", \"pos[-1]\"]\n")));
  INFO(mixwell::contracts::report(findings));
  CHECK(mixwell::contracts::all_hold(findings));
}

// Also with weights of hundreds, for which exp(score) would overflow.
TEST_CASE("U of a conditional random field agrees with the enumeration of all tag sequences",
          "[crf]") {
  const Fixture fixture;
  const auto model = make_model(fixture.body(small, "prior_variance = 4\n"));
  REQUIRE(model->dimension() == (4 + 3) * 3);
  for (const double scale : {0.0, 1.0, 500.0}) {
    const VectorXd theta = position(*model, scale);
    const ByEnumeration by(theta);
    double expected = theta.squaredNorm() / 8;
    expected += by.log_z({1, 3, 2}) - by.score({1, 3, 2}, {0, 1, 2});
    expected += by.log_z({3}) - by.score({3}, {1});
    expected += by.log_z({1, 3}) - by.score({1, 3}, {0, 1});
    CHECK(evaluate(*model, theta).u[0] == Approx(expected).epsilon(1e-13));
  }
}

TEST_CASE("tags are predicted by their probabilities given the sentence", "[crf]") {
  const Fixture fixture;
  const std::string test = fixture.file("test.txt", "birds NN B-NP\nnow RB O\ngo VB B-VP\n");
  const auto model = make_model(fixture.body(small, "test = \"" + test + "\"\n"));
  const mixwell::Prediction* prediction = model->offers<mixwell::Prediction>();
  REQUIRE(prediction != nullptr);
  CHECK(prediction->cases() == 3);
  REQUIRE(prediction->predicted() == 9);
  const VectorXd theta = position(*model, 1.5);
  MatrixXd expected = MatrixXd::Zero(3, 3);
  ByEnumeration(theta).each({1, 2, 3}, [&](const std::vector<int>& tags, double p) {
    for (std::size_t t = 0; t < 3; ++t) expected(tags[t], static_cast<Index>(t)) += p;
  });
  MatrixXd out(9, 1);
  prediction->predict(theta, out);
  CHECK((out.reshaped(3, 3) - expected).cwiseAbs().maxCoeff() < 1e-14);
  CHECK(prediction->error(VectorXd{{0.5, 0.2, 0.3, 0.1, 0.5, 0.4, 0.2, 0.6, 0.2}}) ==
        Approx(1.0 / 3));
}

TEST_CASE("features are words of columns at offsets, and `most` keeps the most frequent ones",
          "[crf]") {
  const Fixture fixture;
  const auto names = [&](const std::string& rest) {
    return make_model(fixture.body(small, rest))->labels().front().labels;
  };
  using Names = std::vector<std::string>;
  CHECK(names("") == Names{"1", "pos=NN", "pos=RB", "pos=VB"});
  CHECK(names("bias = false\nfeatures = [\"pos[-1]\"]\n") ==
        Names{"pos[-1]=(outside)", "pos[-1]=NN", "pos[-1]=VB"});
  CHECK(names("most = 2\n") == Names{"1", "pos=NN", "pos=VB"});
  CHECK(names("most = 1\nbias = false\n") == Names{"pos=VB"});
  const auto tags = [&](const std::string& rest) {
    return make_model(fixture.body(small, rest))->labels()[1].labels;
  };
  CHECK(tags("") == Names{"B-NP", "B-VP", "O"});
  CHECK(tags("tags = \"position\"\n") == Names{"B", "O"});
  CHECK(
      make_model(fixture.body(small, "sentences = 2\n"))->offers<mixwell::SumOfTerms>()->terms() ==
      2);
}

TEST_CASE("errors for bad sentences name the line and the rule", "[crf]") {
  const Fixture fixture;
  const auto said = [&](const std::string& text, const std::string& rest = "") {
    return refusal(fixture.body(text, rest));
  };
  CHECK(said(small) == "accepted");
  CHECK(said(small + "\n") == "accepted");
  const std::string nothing = said("a X T\n\n\nb X S\n");
  CHECK(contains(nothing, "sentences.txt:3"));
  CHECK(contains(nothing, "a sentence has no tokens"));
  CHECK(contains(said("\na X T\n"), "sentences.txt:1"));
  const std::string ragged = said("a X T\nb T\n");
  CHECK(contains(ragged, "sentences.txt:2: the line has 2 columns, but must have 3"));
  CHECK(contains(said("a X T\nb Y T\n"),
                 "needs at least two different tags, but all tags are \"T\""));
  const std::string test = fixture.file("test.txt", "a NN B-NP\n\nb NN B-PP\n");
  const std::string unseen = said(small, "test = \"" + test + "\"\n");
  CHECK(contains(unseen, "test.txt:3: the tag \"B-PP\" does not occur in the training sentences"));
  CHECK(contains(said(small, "features = [\"pso\"]\n"),
                 "\"pso\" names a column that does not exist"));
  CHECK(contains(said(small, "features = [\"pso\"]\n"), "did you mean \"pos\"?"));
  CHECK(contains(said(small, "features = [\"pos[x]\"]\n"), "an offset, such as pos[-1]"));
  CHECK(contains(said(small, "features = [\"pos[1\"]\n"), "an offset, such as pos[-1]"));
  CHECK(contains(said(small, "features = []\n"), "must not be empty"));
  CHECK(contains(said(small, "sentences = 4\n"), "must be at most 3"));
}
