// Columns of a regression's table that are not plain numbers (factors, offsets, weights, missing
// values), against the formula computed by hand.
// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

#include <mixwell/contracts/model.hpp>

#include <cmath>

using namespace mixwell;
using Eigen::VectorXd;
using support::contains;

namespace {

struct Row {
  double y, age;
  std::string town;
  double exposure, times;
};

const std::vector<Row> rows = {{1, 2.5, "b", 0.3, 2},    {0, -1, "a", -0.2, 1},
                               {1, 0.5, "c", 1.1, 0.5},  {0, 3, "b", 0, 3},
                               {1, -0.7, "a", 0.4, 1.5}, {0, 1.2, "c", -1, 1}};

std::string header() { return "y,age,town,exposure,times\n"; }

std::string cells(const Row& row) {
  std::ostringstream text;
  text << row.y << ',' << row.age << ',' << row.town << ',' << row.exposure << ',' << row.times
       << '\n';
  return text.str();
}

std::string whole_table() {
  std::string text = header();
  for (const Row& row : rows) text += cells(row);
  return text;
}

class DataFile {
 public:
  explicit DataFile(const std::string& text) : path_(folder_.path() + "/d.csv") {
    std::ofstream(path_) << text;
  }
  /// Keys of a model on it.
  std::string model(const std::string& use, const std::string& keys) const {
    return "use = \"" + use + "\"\ndata = \"" + path_ +
           "\"\nresponse = \"y\"\nstandardize = false\nprior_variance = 4\n" + keys;
  }
  const std::string& path() const { return path_; }
  const support::TemporaryFolder& folder() const { return folder_; }

 private:
  support::TemporaryFolder folder_;
  std::string path_;
};

const std::string all_keys =
    "inputs = [\"age\"]\nfactors = [\"town\"]\noffset = \"exposure\"\nweights = \"times\"\n";

double minus_log_probability(const std::string& use, double z) {
  if (use == "logistic-regression") return std::log1p(std::exp(-z));
  return -std::log(0.5 * std::erfc(-z / std::sqrt(2.0)));
}

/// By hand: coefficients are the intercept, age, town b, town c.
double potential(const std::string& use, const VectorXd& theta, bool offsets, bool weights) {
  double u = theta.squaredNorm() / 8;
  for (const Row& row : rows) {
    double eta = theta[0] + theta[1] * row.age;
    if (row.town == "b") eta += theta[2];
    if (row.town == "c") eta += theta[3];
    if (offsets) eta += row.exposure;
    const double z = row.y == 1 ? eta : -eta;
    u += (weights ? row.times : 1.0) * minus_log_probability(use, z);
  }
  return u;
}

const std::vector<std::string> kinds = {"logistic-regression", "probit-regression"};
const VectorXd somewhere{{0.4, -0.6, 0.9, -1.3}};

}  // namespace

TEST_CASE("factors, offsets and weights enter a regression as they are defined", "[regression]") {
  const DataFile data(whole_table());
  for (const std::string& use : kinds) {
    CAPTURE(use);
    const auto all = support::make_model(data.model(use, all_keys));
    CHECK(support::evaluate(*all, somewhere).u[0] ==
          Approx(potential(use, somewhere, true, true)).epsilon(1e-13));
    const std::string base = "inputs = [\"age\"]\nfactors = [\"town\"]\n";
    for (const auto& [keys, offsets, weights] : {std::tuple{std::string(), false, false},
                                                 {"offset = \"exposure\"\n", true, false},
                                                 {"weights = \"times\"\n", false, true}}) {
      const auto one = support::make_model(data.model(use, base + keys));
      CHECK(support::evaluate(*one, somewhere).u[0] ==
            Approx(potential(use, somewhere, offsets, weights)).epsilon(1e-13));
    }
  }
}

TEST_CASE("regressions with offsets and weights keep the contract of models", "[regression]") {
  const DataFile data(whole_table());
  for (const std::string& use : kinds) {
    for (const std::string& keys : {all_keys, std::string("inputs = [\"age\"]\noffset = "
                                                          "\"exposure\"\n")}) {
      const auto findings = contracts::check_model(*support::make_model(data.model(use, keys)));
      INFO(use << contracts::report(findings));
      CHECK(contracts::all_hold(findings));
    }
  }
}

TEST_CASE("a factor's coefficients are an array whose labels are its levels but the first",
          "[regression]") {
  const DataFile data(whole_table());
  const auto model =
      support::make_model(data.model("probit-latent", "inputs = [\"age\"]\nfactors = [\"town\"]"));
  const std::vector<Parameter> parameters = model->parameters();
  CHECK(parameters[2].name == "town");
  CHECK(parameters[2].shape == std::vector<Index>{2});
  CHECK(parameters[2].dims == std::vector<std::string>{"town_level"});
  CHECK(model->labels() == std::vector<Labels>{{"town_level", {"b", "c"}}});
}

TEST_CASE("a case with a whole weight counts as often as it is repeated", "[regression]") {
  std::string repeated = "y,age\n";
  std::string weighted = "y,age,times\n";
  for (int n = 0; n < 5; ++n) {
    const std::string row = std::to_string(n % 2) + "," + std::to_string(n * n - 4);
    for (int k = 0; k <= n; ++k) repeated += row + "\n";
    weighted += row + "," + std::to_string(n + 1) + "\n";
  }
  const DataFile once(weighted);
  const DataFile often(repeated);
  const VectorXd theta{{0.3, -0.2}};
  const auto a = support::make_model(once.model("logistic-regression", "weights = \"times\"\n"));
  const auto b = support::make_model(often.model("logistic-regression", ""));
  const auto at_a = support::evaluate(*a, theta);
  const auto at_b = support::evaluate(*b, theta);
  CHECK(at_a.u[0] == Approx(at_b.u[0]).epsilon(1e-13));
  CHECK((at_a.g - at_b.g).norm() < 1e-12);
  CHECK(a->offers<DataDraws>() == nullptr);
  CHECK(b->offers<DataDraws>() != nullptr);
}

TEST_CASE("a test set has the levels and offsets of its own rows", "[regression]") {
  const DataFile data(whole_table());
  const std::string test = data.folder().path() + "/t.csv";
  std::ofstream(test) << header() << cells({1, 0, "c", 2, 1}) << cells({1, 0, "a", -2, 1});
  const std::string keys = all_keys + "test = \"" + test + "\"\n";
  const auto model = support::make_model(data.model("logistic-regression", keys));
  Eigen::MatrixXd p(2, 1);
  model->offers<Prediction>()->predict(somewhere, p);
  CHECK(p(0, 0) == Approx(1 / (1 + std::exp(-(0.4 - 1.3 + 2)))));
  CHECK(p(1, 0) == Approx(1 / (1 + std::exp(-(0.4 - 2)))));
  std::ofstream(test) << header() << cells({1, 0, "d", 2, 1});
  CHECK_THAT(support::refusal(data.model("logistic-regression", keys)),
             Catch::Contains("t.csv:2: row 1, column \"town\": \"d\" is not a level of this column "
                             "in the training data"));
}

TEST_CASE("points to predict at have levels of factors", "[regression]") {
  const DataFile data(whole_table());
  const auto model = support::make_model(
      data.model("logistic-regression", all_keys + "predict.first = { age = 2, town = \"a\" }\n"
                                                   "predict.third = { town = \"c\", age = 2 }\n"));
  Eigen::MatrixXd p(2, 1);
  model->offers<Derived>()->derive(somewhere, p);
  CHECK(p(0, 0) == Approx(1 / (1 + std::exp(-(0.4 - 1.2)))));
  CHECK(p(1, 0) == Approx(1 / (1 + std::exp(-(0.4 - 1.2 - 1.3)))));
}

TEST_CASE("points to predict at have an offset, and its absence is said", "[regression]") {
  const DataFile data(whole_table());
  const auto model = support::make_model(data.model(
      "logistic-regression", all_keys + "predict.with = { age = 2, town = \"a\", exposure = 0.5 }\n"
                                        "predict.without = { age = 2, town = \"a\" }\n"));
  Eigen::MatrixXd p(2, 1);
  model->offers<Derived>()->derive(somewhere, p);
  CHECK(p(0, 0) == Approx(1 / (1 + std::exp(-(0.4 - 1.2 + 0.5)))));
  CHECK(p(1, 0) == Approx(1 / (1 + std::exp(-(0.4 - 1.2)))));
  CHECK(model->remarks().back() ==
        "These predictions use offset 0: without. Give the key \"exposure\" in the point to use a "
        "different offset.");
  const auto refusal = [&](const std::string& keys) {
    return support::refusal(data.model("logistic-regression", keys));
  };
  const std::string point = "predict.p = { age = 1, town = \"a\", exposure = \"high\" }\n";
  CHECK_THAT(refusal(all_keys + point), Catch::Contains("\"exposure\" must be a number"));
  CHECK_THAT(refusal("inputs = [\"age\"]\npredict.p = { age = 1, exposure = 1 }\n"),
             Catch::Contains("unknown input \"exposure\""));
}

TEST_CASE("which label counts as 1 and which level is the reference is said", "[regression]") {
  const auto remarks = [](const std::string& text, const std::string& keys) {
    return support::make_model(DataFile(text).model("logistic-regression", keys))->remarks();
  };
  const std::string words = "y,g\nno,u\nyes,v\nno,v\n";
  const auto both = remarks(words, "factors = [\"g\"]\n");
  REQUIRE(both.size() == 2);
  CHECK_THAT(both[0], Catch::Contains("d.csv, column \"y\": \"yes\" counts as 1, \"no\" as 0."));
  CHECK(both[1] == "Reference levels of the factors: \"u\" of \"g\".");
  CHECK_THAT(remarks(words, "factors = [\"g\"]\npositive = \"no\"\n")[0],
             Catch::Contains("\"no\" counts as 1, \"yes\" as 0."));
  const std::string three = "y,x\na,1\nb,2\nc,3\n";
  CHECK_THAT(remarks(three, "positive = \"b\"\n")[0],
             Catch::Contains("\"b\" counts as 1, all others (\"a\", \"c\") as 0."));
  CHECK_THAT(
      remarks(three, "positive = \"b\"\nnegative = \"c\"\n")[0],
      Catch::Contains("\"b\" counts as 1, \"c\" as 0; cases with other labels are left out."));
  CHECK(remarks("y,x\n1,1\n0,2\n1.0,3\n", "").empty());
}

TEST_CASE("two values of a quantity are labels only where the keys say so", "[regression]") {
  const DataFile data("y,x\n0.2,1\n0.7,2\n0.2,3\n");
  CHECK_THAT(support::refusal(data.model("probit-regression", "")),
             Catch::Contains("model.target.positive") &&
                 Catch::Contains("the labels \"0.2\", \"0.7\", which look like measurements, not"));
  const auto model = support::make_model(data.model("probit-regression", "positive = \"0.7\"\n"));
  CHECK(model->offers<SumOfTerms>()->terms() == 3);
}

TEST_CASE("no spelling of a missing value is a label or a level", "[regression]") {
  const std::string some = "y,g,x\nyes,u,1\nno,v,2\nyes,v,3\nno,u,4\n";
  const std::string keys = "inputs = [\"x\"]\nfactors = [\"g\"]\npositive = \"yes\"\n";
  for (const std::string spelling : {"N/A", "NULL", "null", "None", "#N/A", "<NA>", "n/a", "?"}) {
    CAPTURE(spelling);
    const DataFile data(some + spelling + ",u,5\nyes," + spelling + ",6\nno,v," + spelling + "\n");
    CHECK_THAT(support::refusal(data.model("logistic-regression", keys)),
               Catch::Contains("d.csv:6: row 5, column \"y\": \"" + spelling +
                               "\": a value is missing. Values are missing in 3 of 7 rows"));
    const auto model =
        support::make_model(data.model("logistic-regression", keys + "missing = \"drop\"\n"));
    CHECK(model->offers<SumOfTerms>()->terms() == 4);
    CHECK(model->labels() == std::vector<Labels>{{"g_level", {"v"}}});
    CHECK_THAT(model->remarks()[1],
               Catch::Contains("3 rows of") &&
                   Catch::Contains("have a missing value (\"" + spelling + "\")"));
  }
}

TEST_CASE("test cases that are left out are counted", "[regression]") {
  const DataFile data(whole_table());
  const std::string test = data.folder().path() + "/t.csv";
  std::ofstream(test) << header() << cells({1, 0, "c", 2, 1}) << "1,0,N/A,0,1\n";
  for (const std::string& use : kinds) {
    const auto model = support::make_model(
        data.model(use, all_keys + "missing = \"drop\"\ntest = \"" + test + "\"\n"));
    CHECK(model->offers<Prediction>()->cases() == 1);
    CHECK_THAT(model->remarks().back(),
               Catch::Contains("t.csv has a missing value (\"N/A\") and is left out."));
  }
}

TEST_CASE("the place of a label counts the rows that are left out", "[regression]") {
  const DataFile data(whole_table());
  const std::string test = data.folder().path() + "/t.csv";
  std::ofstream(test) << header() << "1,NA,a,0,1\n2,2,a,0,1\n";
  CHECK_THAT(
      support::refusal(data.model("logistic-regression",
                                  all_keys + "missing = \"drop\"\n" + "test = \"" + test + "\"\n")),
      Catch::Contains("t.csv:3: row 2, column \"y\": the training data do not have the label"));
}

TEST_CASE("texts that are cut for a remark stay UTF-8", "[regression]") {
  std::string level = std::string(59, 'a');
  level += "\u00E9 and more";  // its second byte would be the 61st
  const DataFile data("y,town\n1," + level + "\n0,b\n1,b\n");
  const auto model =
      support::make_model(data.model("logistic-regression", "factors = [\"town\"]\n"));
  REQUIRE(!model->remarks().empty());
  CHECK_THAT(model->remarks().front(),
             Catch::Contains("\"" + std::string(59, 'a') + "...\" of \"town\""));
}

TEST_CASE("row names are no input", "[regression]") {
  const DataFile data("\"\",\"y\",\"x\"\n\"1\",1,2\n\"2\",0,3\n\"7\",1,5\n");
  const auto model = support::make_model(data.model("logistic-regression", ""));
  CHECK(coordinate_names(model->parameters()) == std::vector<std::string>{"intercept", "x"});
  CHECK_THAT(model->remarks().front(), Catch::Contains("has no name, so it is read as row names"));
}

TEST_CASE("columns that have no part in the model may share a name", "[regression]") {
  const DataFile data("y,x,z,z\n1,2,0,0\n0,3,0,0\n1,5,1,1\n");
  CHECK(support::refusal(data.model("logistic-regression", "inputs = [\"x\"]\n")) == "accepted");
  CHECK_THAT(support::refusal(data.model("logistic-regression", "")),
             Catch::Contains("d.csv:1: columns 3 and 4 have the same name \"z\"") &&
                 Catch::Contains("or use `inputs` to list the columns to regress on"));
  CHECK_THAT(support::refusal(data.model("logistic-regression", "inputs = [\"z\"]\n")),
             Catch::Contains("columns 3 and 4 have the same name \"z\""));
}

TEST_CASE("a level that is a number may be written as one", "[regression]") {
  const DataFile data("y,grade\n1,2\n0,10\n1,3.0\n");
  const auto model =
      support::make_model(data.model("logistic-regression",
                                     "factors = [\"grade\"]\npredict.a = { grade = 3 }\n"
                                     "predict.b = { grade = \"10\" }\n"));
  Eigen::MatrixXd p(2, 1);
  const VectorXd theta{{0.1, 0.7, -2}};
  model->offers<Derived>()->derive(theta, p);
  CHECK(p(0, 0) == Approx(1 / (1 + std::exp(-0.8))));
  CHECK(p(1, 0) == Approx(1 / (1 + std::exp(1.9))));
}

TEST_CASE("points that do not fit the columns are refused with key and cure", "[regression]") {
  const DataFile data(whole_table());
  const auto refusal = [&](const std::string& point) {
    return support::refusal(
        data.model("logistic-regression", all_keys + "predict.p = " + point + "\n"));
  };
  const std::string key = "model.target.predict.p";
  CHECK_THAT(refusal("{ age = 1 }"),
             Catch::Contains(key) && Catch::Contains("needs a value for the factor \"town\""));
  CHECK_THAT(
      refusal("{ age = 1, town = \"d\" }"),
      Catch::Contains(key) && Catch::Contains("\"town\": the training data do not have the level "
                                              "\"d\" (known: a, b, c)"));
  CHECK_THAT(refusal("{ age = 1, town = 7 }"),
             Catch::Contains("do not have a level with that number"));
  CHECK_THAT(refusal("{ age = \"old\", town = \"a\" }"),
             Catch::Contains("\"age\" must be a number"));
  CHECK_THAT(refusal("{ age = 1, twon = \"a\" }"), Catch::Contains("did you mean \"town\"?"));
  CHECK_THAT(refusal("{ age = true, town = \"a\" }"),
             Catch::Contains("must be a number or a string"));
}

TEST_CASE("rows with a missing value are refused by name or dropped and counted", "[regression]") {
  std::string text = whole_table();
  text += "1,NA,a,0,1\n0,2,,0,1\n1,2,a,0,1\n";
  const DataFile data(text);
  CHECK_THAT(support::refusal(data.model("probit-regression", all_keys)),
             Catch::Contains("d.csv:8: row 7, column \"age\": \"NA\": a value is missing. Values "
                             "are missing in 2 of 9 rows. Set missing = \"drop\""));
  const auto model =
      support::make_model(data.model("probit-regression", all_keys + "missing = \"drop\"\n"));
  CHECK(model->offers<SumOfTerms>()->terms() == 7);
  REQUIRE(!model->remarks().empty());
  CHECK_THAT(model->remarks().front(), Catch::Contains("2 rows of") && Catch::Contains("left out"));
  const std::string bad = whole_table() + "1,NA,a,0,1\n0,2,c,0,0\n";
  CHECK_THAT(
      support::refusal(DataFile(bad).model("probit-regression", all_keys + "missing = \"drop\"\n")),
      Catch::Contains("d.csv:9: row 8, column \"times\": \"0\" must be above 0"));
  // A column that the model does not use may have missing values.
  CHECK(support::refusal(data.model("probit-regression", "inputs = [\"times\"]\n")) == "accepted");
}

TEST_CASE("columns that cannot be what a key says are refused with place and rule",
          "[regression]") {
  const auto refusal = [](const std::string& text, const std::string& keys) {
    return support::refusal(DataFile(text).model("logistic-regression", keys));
  };
  CHECK_THAT(refusal(whole_table() + "1,2,a,0,0\n", all_keys),
             Catch::Contains("d.csv:8: row 7, column \"times\": \"0\" must be above 0. Correct the "
                             "cell, or delete the row (`weights` "
                             "must name a column of positive numbers)"));
  CHECK_THAT(refusal(whole_table(), "inputs = [\"age\"]\noffset = \"town\"\n"),
             Catch::Contains("column \"town\": \"b\" is not a finite number. Correct the cell, or "
                             "delete the row"));
  CHECK_THAT(refusal(whole_table(), "inputs = [\"age\", \"town\"]\n"),
             Catch::Contains("column \"town\": \"b\" is not a finite number") &&
                 Catch::Contains("Move categorical columns to `factors`"));
  CHECK_THAT(refusal("y,age,town\n1,2,a\n0,1,a\n", "factors = [\"town\"]\n"),
             Catch::Contains("model.target.factors") && Catch::Contains("the level \"a\" in all"));
  CHECK_THAT(refusal(whole_table(), "factors = [\"town\"]\noffset = \"town\"\n"),
             Catch::Contains("model.target.factors") &&
                 Catch::Contains("\"town\", which `offset` already names"));
  CHECK_THAT(refusal(whole_table(), "factors = [\"twon\"]\n"), Catch::Contains("town"));
  CHECK_THAT(support::refusal("use = \"probit-regression\"\ncases = 9\ndimension = 2\nmissing = "
                              "\"drop\"\n"),
             Catch::Contains("It needs data"));
  CHECK_THAT(support::refusal(DataFile(whole_table()).model("probit-latent", all_keys)),
             Catch::Contains("unknown key. It was removed. Use the model `probit-regression`"));
}
