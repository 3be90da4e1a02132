// The model `logistic-regression` on LIBSVM and IDX files, with chosen labels and projections.
// SPDX-License-Identifier: Apache-2.0
#include "../../models/regression/design.hpp"
#include "../../models/regression/table.hpp"
#include "data_files.hpp"
#include "data_making.hpp"
#include "support.hpp"

#include <mixwell/contracts/model.hpp>
#include <mixwell/data/data.hpp>

#include <cmath>

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using support::contains;
using support::evaluate;

/// The same five cases of three inputs in every format; label 4 is a third one.
const std::vector<int> pixels = {0, 255, 51, 10, 20, 30, 255, 128, 0, 7, 7, 7, 99, 0, 200};
const std::vector<int> labels = {9, 7, 9, 4, 7};

class Fixture {
 public:
  std::string csv(const std::string& rest = "") const {
    std::string text = "a,b,c,label\n";
    for (std::size_t n = 0; n < labels.size(); ++n) {
      for (std::size_t i = 0; i < 3; ++i) text += exact(pixels[3 * n + i]) + ",";
      text += std::to_string(labels[n]) + "\n";
    }
    return use("csv", file("t.csv", text)) + "response = \"label\"\n" + rest;
  }
  std::string libsvm(const std::string& rest = "") const {
    return use("libsvm", file("t.svm", libsvm_text())) + rest;
  }
  std::string idx(const std::string& rest = "") const {
    return use("idx", file("t.images", making::idx_images(3, pixels))) +
           key("labels", file("t.labels", making::idx_labels(labels))) + rest;
  }
  std::string file(const std::string& name, const std::string& text) const {
    return folder_.file(name, text);
  }
  static std::string libsvm_text() {
    std::string text;
    for (std::size_t n = 0; n < labels.size(); ++n) {
      text += "+" + std::to_string(labels[n]);
      for (std::size_t i = 0; i < 3; ++i)
        if (pixels[3 * n + i] != 0)
          text += " " + std::to_string(i + 1) + ":" + exact(pixels[3 * n + i]);
      text += "\n";
    }
    return text;
  }
  static std::string key(const std::string& name, const std::string& value) {
    return name + " = \"" + value + "\"\n";
  }
  static std::string use(const std::string& format, const std::string& data) {
    return "use = \"logistic-regression\"\n" + key("format", format) + key("data", data);
  }

 private:
  static std::string exact(int pixel) {
    std::ostringstream out;
    out.precision(17);
    out << pixel / 255.0;
    return out.str();
  }
  support::TemporaryFolder folder_;
};

const std::string pair = "positive = 9\nnegative = 7\n";
const std::string raw = "standardize = false\n";

MatrixXd kept_inputs() {
  MatrixXd x(4, 3);
  x << 0, 255, 51, 10, 20, 30, 255, 128, 0, 99, 0, 200;
  return x / 255;
}

std::vector<std::string> names(const mixwell::Model& model) {
  return mixwell::coordinate_names(model.parameters());
}

MatrixXd some_theta(Index d) {
  MatrixXd theta(d, 3);
  mixwell::Stream(5, "theta").normals({}, theta);
  return theta;
}

MatrixXd probabilities(const mixwell::Model& model, const MatrixXd& theta) {
  MatrixXd out(model.offers<mixwell::Prediction>()->cases(), theta.cols());
  model.offers<mixwell::Prediction>()->predict(theta, out);
  return out;
}

}  // namespace

TEST_CASE("the same cases in three formats are the same model", "[logistic-regression]") {
  const Fixture fixture;
  const std::string rest =
      GENERATE(std::string(""), "standardize = false\n", "powers = 2\nintercept = false\n",
               "projection = 4\nprojection_seed = 3\n", "projection = 2\npowers = 3\n");
  CAPTURE(rest);
  const auto csv = support::make_model(fixture.csv(pair + rest));
  const auto libsvm = support::make_model(fixture.libsvm(pair + rest));
  const auto idx = support::make_model(fixture.idx(pair + rest));
  const MatrixXd theta = some_theta(csv->dimension());
  const support::Evaluated expected = evaluate(*csv, theta);
  CHECK(evaluate(*libsvm, theta).u.isApprox(expected.u, 1e-14));
  CHECK(evaluate(*libsvm, theta).g.isApprox(expected.g, 1e-13));
  CHECK(evaluate(*idx, theta).u.isApprox(expected.u, 1e-14));
  CHECK(evaluate(*idx, theta).g.isApprox(expected.g, 1e-13));
  CHECK(mixwell::contracts::all_hold(mixwell::contracts::check_model(*libsvm)));
}

TEST_CASE("coefficients without names are the array beta beside the intercept",
          "[logistic-regression]") {
  const Fixture fixture;
  CHECK(names(*support::make_model(fixture.libsvm(pair))) ==
        std::vector<std::string>{"intercept", "beta[0]", "beta[1]", "beta[2]"});
  CHECK(names(*support::make_model(fixture.csv(pair + "projection = 2"))) ==
        std::vector<std::string>{"intercept", "beta[0]", "beta[1]"});
  CHECK(names(*support::make_model(fixture.idx(pair + "intercept = false\npowers = 2"))).size() ==
        6);
}

TEST_CASE("a negative label leaves out the cases of all others", "[logistic-regression]") {
  const Fixture fixture;
  const VectorXd theta{{-1, 0, 0, 0}};
  const auto u = [&](const std::string& body) {
    return evaluate(*support::make_model(body), theta).u[0];
  };
  const double no = std::log1p(std::exp(-1.0));
  const double yes = std::log1p(std::exp(1.0));
  CHECK(u(fixture.csv(pair)) == Approx(2 * no + 2 * yes + 0.005).epsilon(1e-14));
  CHECK(u(fixture.csv("positive = 9\n")) == Approx(3 * no + 2 * yes + 0.005).epsilon(1e-14));
  CHECK(u(fixture.idx("positive = 4\nnegative = 9\n")) ==
        Approx(2 * no + yes + 0.005).epsilon(1e-14));
}

TEST_CASE("a test set of each format is made like the training data", "[logistic-regression]") {
  const Fixture fixture;
  const std::string test = fixture.file("test.svm", "7 1:1\n9 2:0.5\n4 1:1 3:1\n");
  const std::string rest = pair + raw;
  const auto libsvm = support::make_model(fixture.libsvm(rest + Fixture::key("test", test)));
  const auto idx = support::make_model(fixture.idx(
      rest + Fixture::key("test", fixture.file("i", making::idx_images(3, {255, 0, 0, 1, 2, 3}))) +
      Fixture::key("test_labels", fixture.file("l", making::idx_labels({7, 8})))));
  const VectorXd theta{{0.5, 1, -2, 3}};
  CHECK(probabilities(*libsvm, theta)
            .isApprox(VectorXd{{1 / (1 + std::exp(-1.5)), 1 / (1 + std::exp(0.5))}}, 1e-14));
  CHECK(libsvm->offers<mixwell::Prediction>()->error(VectorXd{{0.6, 0.7}}) == 0.5);
  CHECK(probabilities(*idx, theta).isApprox(probabilities(*libsvm, theta).topRows(1), 1e-14));
}

TEST_CASE("a projection multiplies the inputs by normals of variance 1 over k",
          "[logistic-regression]") {
  const Fixture fixture;
  const std::string rest = pair + raw + "projection = 2\nprojection_seed = 8\nprior_variance = 1e9";
  const auto model = support::make_model(fixture.libsvm(
      rest + "\n" + Fixture::key("test", fixture.file("t", Fixture::libsvm_text()))));
  const MatrixXd p = mixwell::regression::random_projection(3, 2, 8);
  const MatrixXd theta = some_theta(3);
  const MatrixXd z = ((kept_inputs() * p * theta.bottomRows(2)).rowwise() + theta.row(0)).eval();
  const MatrixXd expected = (1 + (-z.array()).exp()).inverse();
  CHECK(probabilities(*model, theta).isApprox(expected, 1e-13));
  const VectorXd sign{{1, -1, 1, -1}};
  const MatrixXd losses = (1 + (z.array().colwise() * -sign.array()).exp()).log();
  CHECK(evaluate(*model, theta).u.isApprox(losses.colwise().sum(), 1e-8));  // a flat prior
}

TEST_CASE("projected columns are standardised after the projection", "[logistic-regression]") {
  const Fixture fixture;
  const auto model = support::make_model(fixture.libsvm(
      pair + "projection = 3\n" + Fixture::key("test", fixture.file("t", Fixture::libsvm_text()))));
  const MatrixXd all = kept_inputs() * mixwell::regression::random_projection(3, 3, 1);
  const MatrixXd centred = all.rowwise() - all.colwise().mean();
  const MatrixXd x =
      centred.array().rowwise() / (centred.colwise().squaredNorm() / 3).cwiseSqrt().array();
  const MatrixXd theta = some_theta(4);
  const MatrixXd z = (x * theta.bottomRows(3)).rowwise() + theta.row(0);
  CHECK(probabilities(*model, theta).isApprox((1 + (-z.array()).exp()).inverse().matrix(), 1e-12));
}

// Of right entries one seed in 5000 fails here.
TEST_CASE("entries of a projection are independent and have mean 0 and variance 1 over k",
          "[logistic-regression]") {
  using mixwell::regression::random_projection;
  const MatrixXd p = random_projection(784, 50, 1);
  const auto n = static_cast<double>(p.size());
  CHECK(std::abs(p.sum()) * std::sqrt(50 / n) < 4);
  CHECK(std::abs(50 * p.squaredNorm() - n) / std::sqrt(2 * n) < 4);
  CHECK(std::abs(48 * p.squaredNorm() - n) / std::sqrt(2 * n) > 4);
  const MatrixXd gram = p.transpose() * p * 50;  // off the diagonal sd sqrt(784)
  const MatrixXd off = gram - MatrixXd(gram.diagonal().asDiagonal());
  CHECK(std::abs(off.squaredNorm() / (50 * 49 * 784.0) - 1) < 4 * std::sqrt(2 * 2 / (50 * 49.0)));
  const MatrixXd rows = p * p.transpose() * 50;
  CHECK(std::abs(rows.sum() - rows.trace()) < 4 * std::sqrt(2 * 784 * 783 * 50.0));
  const Eigen::ArrayXd all = Eigen::ArrayXd::Map(p.data(), p.size()) * std::sqrt(50.0);
  CHECK(support::ks_statistic(all, support::normal_below) < 2.7);
}

TEST_CASE("a projection depends on its seed alone, entry by entry", "[logistic-regression]") {
  using mixwell::regression::random_projection;
  const MatrixXd p = random_projection(20, 8, 4);
  CHECK(p == random_projection(20, 8, 4));
  CHECK((p.array() != random_projection(20, 8, 5).array()).all());
  CHECK(p.topLeftCorner(11, 2).isApprox(random_projection(11, 2, 4) / 2, 1e-15));
}

TEST_CASE("constant columns without names share one remark", "[logistic-regression]") {
  const Fixture fixture;
  const std::string data = Fixture::use("libsvm", fixture.file("c", "0 1:1 4:3\n1 1:1 3:2 4:3\n"));
  const auto remarks = support::make_model(data)->remarks();
  REQUIRE(remarks.size() == 1);
  CHECK(contains(remarks[0], "3 of the 4 columns of "));
  CHECK(contains(remarks[0], "are constant (\"input 1\", \"input 2\", \"input 4\"). "));
  CHECK(support::make_model(data + raw)->remarks().empty());
}

TEST_CASE("constant columns with names share one remark too", "[logistic-regression]") {
  const Fixture fixture;
  std::string header = "y,x";
  std::string rows[2] = {"0,1", "1,2"};
  for (int k = 0; k < 500; ++k) {
    header += ",c" + std::to_string(k);
    for (std::string& row : rows) row += ",7";
  }
  const std::string file = fixture.file("c.csv", header + "\n" + rows[0] + "\n" + rows[1] + "\n");
  const auto remarks =
      support::make_model(Fixture::use("csv", file) + "response = \"y\"\n")->remarks();
  REQUIRE(remarks.size() == 1);
  CHECK(contains(remarks[0], "500 of the 501 columns of "));
  CHECK(contains(remarks[0], "(\"c0\", \"c1\", \"c2\" and 497 more). They are centred"));
}

TEST_CASE("a format that no reader has is no CSV file", "[logistic-regression]") {
  mixwell::regression::Source source;
  source.format = "parquet";
  CHECK_THROWS_WITH(source.read_as(),
                    Catch::Contains("must be csv, libsvm or idx (got \"parquet\")"));
  CHECK_THROWS_AS(mixwell::regression::training_table(source), mixwell::ParameterError);
  for (const auto& [word, format] : mixwell::regression::formats) {
    source.format = word;
    CHECK(source.read_as() == format);
  }
}

TEST_CASE("keys of another format are refused, and those of this one missed",
          "[logistic-regression]") {
  const Fixture fixture;
  const auto csv = [&](const std::string& rest) { return support::refusal(fixture.csv(rest)); };
  const auto svm = [&](const std::string& rest) { return support::refusal(fixture.libsvm(rest)); };
  const auto idx = [&](const std::string& rest) { return support::refusal(fixture.idx(rest)); };
  const std::string some = fixture.file("some", "x");
  CHECK(contains(svm("response = \"a\""), "It needs format = \"csv\""));
  CHECK(contains(svm("inputs = [\"a\"]"), "It needs format = \"csv\""));
  CHECK(contains(idx("predict.p = { a = 1 }"), "It needs format = \"csv\""));
  CHECK(contains(csv(Fixture::key("labels", some)), "It needs format = \"idx\""));
  CHECK(contains(support::refusal(Fixture::use("idx", some)), "labels"));
  CHECK(contains(support::refusal(Fixture::use("csv", some)), "response"));
  CHECK(contains(idx(Fixture::key("test", some)), "must be given if format = \"idx\""));
  CHECK(contains(idx(Fixture::key("test_labels", some)), "It needs test"));
  CHECK(contains(svm(Fixture::key("test_labels", some)), "It needs format = \"idx\""));
  CHECK(contains(csv("format = \"arff\""), "format"));
}

TEST_CASE("labels that are not there, not two or not different are refused",
          "[logistic-regression]") {
  const Fixture fixture;
  const auto svm = [&](const std::string& rest) { return support::refusal(fixture.libsvm(rest)); };
  CHECK(contains(svm(""), "must be given, because "));
  CHECK(contains(svm("positive = 3\n"), "has the label \"3\" (labels found: \"4\", \"7\", \"9\")"));
  CHECK(contains(svm("positive = 9\nnegative = 8\n"), "negative = 8: no case of "));
  CHECK(contains(svm("positive = 9\nnegative = \"9.0\"\n"), "must differ from `positive`"));
  CHECK(contains(svm("negative = 9\n"), "must be given if `negative` is given"));
  CHECK(contains(support::refusal(Fixture::use("libsvm", fixture.file("one", "1 1:1\n+1 1:2\n"))),
                 "every case has the label \"1\", but a binary regression needs two labels"));
}

TEST_CASE("test files that do not fit the training data are refused with their place",
          "[logistic-regression]") {
  const Fixture fixture;
  const auto svm = [&](const std::string& text) {
    return support::refusal(
        fixture.libsvm(pair + Fixture::key("test", fixture.file("test", text))));
  };
  CHECK(contains(svm("9 1:1\n7 4:1\n"),
                 "test:2: index 4 is above 3, the largest index of the training"));
  CHECK(contains(svm("4 1:1\n"), "test: no case has either of the two labels"));
  CHECK(contains(svm("9 1:x\n"), "test:1: \"1:x\" is not an index:value pair"));
  const std::string other = fixture.file("test", "9 1:1\n8 1:1\n");
  CHECK(contains(support::refusal(fixture.libsvm("positive = 9\n" + Fixture::key("test", other))),
                 "test:2: the training data do not have the label \"8\""));
  const auto idx = [&](const std::string& images, const std::vector<int>& test_labels,
                       const std::string& choice) {
    return support::refusal(fixture.idx(
        choice + Fixture::key("test", fixture.file("i", images)) +
        Fixture::key("test_labels", fixture.file("l", making::idx_labels(test_labels)))));
  };
  CHECK(contains(idx(making::idx_images(2, {1, 2}), {9}, pair), "images have 1 x 2 pixels"));
  CHECK(contains(idx(making::idx_images(3, {1, 2, 3, 4, 5, 6}), {9, 3}, "positive = 9\n"),
                 "l: label 2: the training data do not have the label \"3\""));
  CHECK(contains(support::refusal(Fixture::use("libsvm", fixture.file("none", "1\n0\n"))),
                 "none: no line has an index:value pair"));
}

TEST_CASE("a9a has its published rows, labels and non-zeros", "[data]") {
  const mixwell::LibsvmTable train(data_files::found("a9a/a9a"));
  CHECK(train.rows() == 32561);
  CHECK(train.largest_index() == 123);
  std::vector<Index> all;
  Index positive = 0;
  for (Index row = 0; row < train.rows(); ++row) {
    all.push_back(row);
    positive += train.label(row) == "1";
  }
  CHECK(positive == 7841);
  CHECK(train.dense(all, 123).sum() == 451592);
  const mixwell::LibsvmTable test(data_files::found("a9a/a9a.t"), train.largest_index());
  CHECK(test.rows() == 16281);
  CHECK(test.largest_index() == 122);
}

TEST_CASE("MNIST has its published counts and mean pixels", "[data]") {
  const auto read = [](const std::string& set) {
    return mixwell::read_idx(data_files::found("mnist/" + set + "-images-idx3-ubyte.gz"),
                             data_files::found("mnist/" + set + "-labels-idx1-ubyte.gz"),
                             [](std::uint8_t label) { return label == 7 || label == 9; });
  };
  const mixwell::IdxImages train = read("train");
  CHECK(train.labels.size() == 60000);
  CHECK(std::count(train.labels.begin(), train.labels.end(), 7) == 6265);
  CHECK(std::count(train.labels.begin(), train.labels.end(), 9) == 5949);
  CHECK(train.pixels.rows() == 6265 + 5949);
  CHECK(train.pixels.cols() == 784);
  CHECK(read("t10k").pixels.rows() == 1028 + 1009);
  const auto all = mixwell::read_idx(data_files::found("mnist/t10k-images-idx3-ubyte.gz"),
                                     data_files::found("mnist/t10k-labels-idx1-ubyte.gz"),
                                     [](std::uint8_t) { return true; });
  CHECK(all.pixels.mean() == Approx(0.1325).margin(5e-5));
}

TEST_CASE("the manifests of logistic regressions have their models' coefficients", "[data]") {
  const std::string folder = std::string(MIXWELL_SOURCE_DIR) + "/papers/shared/logistic";
  const std::map<std::string, Index> expected = {
      {"german", 25}, {"australian", 15}, {"heart", 14},    {"pima", 8},
      {"ripley", 7},  {"a9a", 51},        {"mnist-7-9", 51}};
  for (const char* file : {"german/german.csv", "australian/australian.csv", "heart/heart.csv",
                           "pima/pima.csv", "ripley/synth_te.csv"})
    data_files::found(file);
  for (const auto& [name, dimension] : expected) {
    const std::string path = folder + "/" + name + ".toml";
    CAPTURE(path);
    std::ifstream in(path);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    CHECK(mixwell::parse_manifest(text, path, support::registry()).model()->dimension() ==
          dimension);
  }
  const std::filesystem::directory_iterator files(folder);
  CHECK(static_cast<std::size_t>(std::distance(begin(files), end(files))) == expected.size());
}
