// The meaning of a Stan program, stated for values on the program's own scale. It is the same for
// an engine that interprets, one that compiles, and a library given by its path. Skipped without
// them.
// SPDX-License-Identifier: Apache-2.0
#include "../stan/engines.hpp"
#include "../unit/support.hpp"

#include <mixwell/lab/draws.hpp>
#include <mixwell/lab/generate.hpp>
#include <mixwell/lab/run.hpp>

#include <limits>
#include <string>
#include <vector>

namespace {

using Eigen::MatrixXd;
using mixwell::Index;
using support::contains;

/// A program with data and starting values in a folder, for one engine or as a library.
class Case {
 public:
  Case(std::string engine, const std::string& program) : engine_(std::move(engine)) {
    write("x.stan", program);
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.path() + "/" + name) << text;
  }
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  std::string keys(const std::string& data) const {
    if (!data.empty()) write("x.json", data);
    return "use = \"stan\"\n" + source() +
           (data.empty() ? "" : "data = \"" + path("x.json") + "\"\n");
  }
  /// The library of BridgeStan's C interface that the compiling engine makes of the program, as if
  /// the user had compiled it.
  void compile(const std::string& data) {
    std::filesystem::copy(model(data)->files().back(), path("x_model.so"));
    engine_ = "library";
  }
  std::shared_ptr<const mixwell::Model> model(const std::string& data) const {
    return support::make_model(keys(data));
  }
  /// The refusal of these data by the model, or "accepted".
  std::string said(const std::string& data) const { return support::refusal(keys(data)); }

 private:
  std::string source() const {
    return engine_ == "library"
               ? "library = \"" + path("x_model.so") + "\"\n"
               : "engine = \"" + engine_ + "\"\nprogram = \"" + path("x.stan") + "\"\n";
  }

  std::string engine_;
  support::TemporaryFolder folder_;
};

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The data of tests/stan/contract.stan, with some members replaced.
class Members {
 public:
  Members() {
    const char* const all[][2] = {{"N", "3"},
                                  {"K", "2"},
                                  {"x", "[[1, 2], [3, 4], [5, 6]]"},
                                  {"y", "[0.1, -0.2, 0.3]"},
                                  {"g", "[1, 0, 2]"},
                                  {"rows", "[[1, 2], [3, 4]]"},
                                  {"w", "[0.25, 0.25, 0.5]"},
                                  {"s", "1.5"},
                                  {"none", "[]"},
                                  {"z", "[1, 2, 3, 4]"}};
    for (const auto& [name, value] : all) members_.emplace_back(name, value);
  }
  /// `value`: "" to leave it out.
  Members with(const std::string& name, const std::string& value) const {
    Members other = *this;
    for (auto& [known, text] : other.members_)
      if (known == name) text = value;
    return other;
  }
  std::string json() const {
    std::string text;
    for (const auto& [name, value] : members_)
      if (!value.empty()) text += (text.empty() ? "{\"" : ", \"") + name + "\": " + value;
    return text + "}";
  }

 private:
  std::vector<std::pair<std::string, std::string>> members_;
};

/// The quantities computed from the parameters at theta, for all arrays or for one.
MatrixXd derived(const mixwell::Model& model, const MatrixXd& theta, const std::string& name = "") {
  const auto arrays = model.offers<mixwell::Derived>()->quantities();
  MatrixXd all(static_cast<Index>(mixwell::coordinate_names(arrays).size()), theta.cols());
  model.offers<mixwell::Derived>()->derive(theta, all);
  Index row = 0;
  for (const mixwell::Parameter& one : arrays) {
    if (one.name == name) return all.middleRows(row, one.size());
    row += one.size();
  }
  CHECK(name.empty());
  return all;
}

MatrixXd start(const Case& one, const mixwell::Model& model, const std::string& json) {
  one.write("start.json", json);
  MatrixXd theta(model.dimension(), 1);
  model.offers<mixwell::NamedPositions>()->read_position(one.path("start.json"), theta);
  return theta;
}

std::string refused_start(const Case& one, const mixwell::Model& model, const std::string& json) {
  try {
    start(one, model, json);
    return "accepted";
  } catch (const mixwell::InputError& error) {
    return error.what();
  }
}

const std::string whole_start =
    R"({"beta": [0.5, -0.5], "sigma": 2, "R": [[1, 0.5, 0.1], [0.5, 1, 0.2], [0.1, 0.2, 1]],
        "M": [[1, 2, 3], [4, 5, 6]], "u": 1.5, "nothing": []})";

/// Elements are in the order of the program, with the last index fastest.
void check_shapes(const Case& one) {
  const auto model = one.model(Members().json());
  const MatrixXd theta = start(one, *model, whole_start);
  const MatrixXd x{{1, 2, 3, 4, 5, 6}};
  CHECK((derived(*model, theta, "same_x") - x.transpose()).norm() == 0);
  CHECK((derived(*model, theta, "M") - x.transpose()).norm() < 1e-12);
  CHECK((derived(*model, theta, "same_M") - x.transpose()).norm() < 1e-12);
  CHECK(std::abs(derived(*model, theta, "R")(1) - 0.5) < 1e-12);
  CHECK(std::abs(derived(*model, theta, "u")(0) - 1.5) < 1e-12);
  CHECK(model->offers<mixwell::Generated>()->generated()[0].name == "class");
}

void check_data(const Case& one) {
  const auto says = [&](const std::string& name, const std::string& value,
                        const std::string& part) {
    const std::string words = one.said(Members().with(name, value).json());
    INFO(name << " = " << value << "\n" << words);
    CHECK(contains(words, part));
  };
  says("none", "", "accepted");
  says("s", "\"Infinity\"", "accepted");
  says("s", "Infinity", "accepted");
  says("s", "\"+Inf\"", "`s` is the string \"+Inf\"");
  says("x", "[[1, 3, 5], [2, 4, 6]]", "`x` is an array of 2 x 3, but the program declares");
  says("x", "[1, 2, 3, 4, 5, 6]", "which is an array of 3 x 2 with these data");
  says("rows", "[[1, 2, 3, 4]]", "which is an array of 2 x 2 with these data");
  says("y", "[[0.1], [-0.2], [0.3]]", "`y` is an array of 3 x 1");
  says("g", "[[1, 0, 2]]", "`g` is an array of 1 x 3");
  says("N", "[3]", "`N` is an array of 1");
  says("s", "[1.5]", "`s` is an array of 1");
  says("g", "[1, 0.5, 2]", "`g` must have only integer values, because the program declares");
  says("y", "", "the file has no values for variables that ");
  says("z", "[1, 2, 3]", "z");
  for (const auto& [name, value] :
       {std::pair("g", "[1, -1, 2]"), std::pair("w", "[0.25, 0.25, 0.4]"), std::pair("s", "-1"),
        std::pair("N", "-1")})
    CHECK(one.said(Members().with(name, value).json()) != "accepted");
  says("w", "[0.25, 0.25, 0.4]", "Stan rejects these data. Correct the data. Stan says: ");
  says("s", "13", "in its block `transformed data`");
  says("s", "13", "unlucky: 13");
}

void check_starts(const Case& one) {
  const auto model = one.model(Members().json());
  const auto says = [&](const std::string& json, const std::string& part) {
    const std::string words = refused_start(one, *model, json);
    INFO(json << "\n" << words);
    CHECK(contains(words, part));
  };
  says(R"({"sigma": 1, "beta[1]": 1, "beta[2]": 2})", "`beta[1]` is an element of the parameter");
  says(R"({"sigm": 1})", "did you mean \"sigma\"?");
  says(R"({"sigma": NaN})", "`sigma` is not finite");
  says(R"({"M": [[1, 2], [3, 4], [5, 6]]})", "The value seems to be transposed");
  says(R"({"M": [1, 2, 3, 4, 5, 6]})", "Write the value as a list of rows");
  says(R"({"sigma": [1]})", "Write the number without brackets");
  says(R"({"sigma": -1})", "start.json:1:11: `sigma` is -1, but the program declares");
  says(R"({"sigma": 0})", "`sigma` is 0, but the program declares");
  says(R"({"sigma": 1, "u": 2})", "`u` is 2, but the program declares");
  says(R"({"sigma": 1, "u": 1})", "`u` is 1, but the program declares");
  says(R"({"R": [[1, 0.4, 0.1], [0.5, 1, 0.2], [0.1, 0.2, 1]]})", "`R[0, 1]` is 0.4, but");
  says(R"({"R": [[1, 1, 0], [1, 1, 0], [0, 0, 1]]})", "`R` is not positive definite, but");
  says(R"({"u": 1.5})",
       "start.json:1:7: the constraint of `u` depends on parameters that the file leaves");
  says(R"({"u": 0.5})",
       "depends on parameters that the file leaves out. Give these parameters too: `sigma`");
  says(R"({"sigma": 1, "lucky": NaN, "same_M": 1})", "accepted");
  const MatrixXd part = start(one, *model, R"({"sigma": 3, "u": 1})");
  CHECK(part.array().isNaN().count() == part.size() - 2);
}

/// A draw whose generated quantities fail keeps all of its parameters, and other draws keep
/// everything.
void check_failures(const Case& one) {
  const auto model = one.model(Members().json());
  MatrixXd theta = start(one, *model, whole_start).replicate(1, 3);
  theta(0, 1) = 1.25;
  CHECK(derived(*model, theta).allFinite());
  CHECK(derived(*model, theta, "beta")(0, 1) == 1.25);
  MatrixXd out(2, 3);
  model->offers<mixwell::Generated>()->generate(theta, mixwell::Stream(1, "contract"), {}, out);
  CHECK(out.col(1).array().isNaN().all());
  CHECK(out.col(0).allFinite());
  CHECK(out.col(2).allFinite());
  CHECK(out(0, 0) == theta(0, 0));
  const auto remarks = model->remarks();
  CHECK(contains(remarks.back(),
                 "failed to compute the generated quantities of a draw (recorded as NaN) 1 time"));
  CHECK(contains(remarks.back(), "beta[1] is 1.25"));
}

void check_contract(const std::string& engine) {
  const Case one(engine, text_of(MIXWELL_SOURCE_DIR "/tests/stan/contract.stan"));
  check_data(one);
  check_shapes(one);
  check_starts(one);
  check_failures(one);
}

}  // namespace

TEST_CASE("an interpreted program has Stan's shapes, constraints, starts and failures", "[stan]") {
  engines::need_stanli();
  check_contract("interpret");
}

TEST_CASE("a compiled program has Stan's shapes, constraints, starts and failures", "[stan]") {
  engines::need_compiler();
  check_contract("compile");
}

TEST_CASE("a library by its path is the program that it was compiled of", "[stan]") {
  engines::need_compiler();
  const std::string data = Members().json();
  Case one("compile", text_of(MIXWELL_SOURCE_DIR "/tests/stan/contract.stan"));
  const auto program = one.model(data);
  const MatrixXd theta = start(one, *program, whole_start);
  one.compile(data);
  check_shapes(one);
  check_failures(one);
  const auto model = one.model(data);
  CHECK(start(one, *model, whole_start) == theta);
  const auto here = support::evaluate(*model, theta);
  const auto there = support::evaluate(*program, theta);
  CHECK(here.u == there.u);
  CHECK(here.g == there.g);
  CHECK(derived(*model, theta) == derived(*program, theta));
  CHECK(model->remarks().empty());
  CHECK(contains(one.said(Members().with("s", "-1").json()),
                 "Stan rejects these data. Correct the data. Stan says: "));
  CHECK(contains(one.said(Members().with("y", "").json()),
                 "Stan rejects these data. Correct the data. Stan says: "));
  CHECK(contains(refused_start(one, *model, R"({"u": 1})"),
                 "the constraint of `u` depends on parameters that the file leaves out. Give these "
                 "parameters too: "));
  CHECK(contains(refused_start(one, *model, R"({"sigma": 0})"),
                 "`sigma` violates its constraint or is on the boundary"));
}

TEST_CASE("what the interpreting engine lacks is told where the program has it", "[stan]") {
  engines::need_stanli();
  const std::string prior = "model { a ~ normal(0, 1); }\n";
  const auto says = [&](const std::string& program, const std::string& part) {
    const std::string words = Case("interpret", program).said("");
    INFO(program << words);
    CHECK(contains(words, part));
    CHECK(contains(words, "Use `engine = \"compile\"`"));
  };
  says("parameters { real a; }\nmodel {\n  target += log_mix([0.5, 0.5]', [a, -a]');\n}\n",
       "x.stan:3:13: engine `interpret` cannot compute `log_mix` (stanli says: ");
  says("transformed data { real d = determinant([[1]]); }\nparameters { real a; }\n" + prior,
       "x.stan:1:29: engine `interpret` cannot compute `determinant`");
  says(
      "functions {\n  real f(real x) { int g = 0; while (1) { g += 1; if (g > 5) return x; } "
      "return 0; }\n}\n"
      "parameters { real a; }\nmodel {\n  a ~ normal(f(7), 1);\n}\n",
      "x.stan:6:14: engine `interpret` computes wrong values for this program: `f`, or a function "
      "that it calls, has a `return` inside a `while` loop");
  says("parameters {\n real a;\n complex z; }\n" + prior,
       "x.stan:3:2: engine `interpret` cannot compute `complex`");
  says("parameters { real a; tuple(real, real) t; }\n" + prior,
       "x.stan:1:22: engine `interpret` cannot compute `tuple`");
}

TEST_CASE("generated quantities that an engine lacks take only those with them that use them",
          "[stan]") {
  engines::need_stanli();
  const Case one("interpret",
                 "parameters { real a; }\nmodel { a ~ normal(0, 1); }\ngenerated quantities {\n"
                 "  real b = 2 * a;\n  array[3] int m = multinomial_rng([0.2, 0.3, 0.5]', 10);\n"
                 "  real c = m[1] + b;\n  array[2] tuple(int, real) t = {(1, a), (2, a)};\n"
                 "  real d = b;\n}\n");
  const auto model = one.model("");
  const auto generated = model->offers<mixwell::Generated>()->generated();
  REQUIRE(generated.size() == 2);
  CHECK(generated[0].name == "b");
  CHECK(generated[1].name == "d");
  MatrixXd out(2, 1);
  model->offers<mixwell::Generated>()->generate(MatrixXd::Constant(1, 1, 0.5),
                                                mixwell::Stream(1, "x"), {}, out);
  CHECK(out == MatrixXd{{1}, {1}});
  const auto remarks = model->remarks();
  REQUIRE(remarks.size() == 2);
  CHECK(contains(remarks[1], "missing from the results: `m`, `c`, `t` ("));
  CHECK(contains(remarks[1], "x.stan:5:3: unsupported function multinomial_rng; "));
  CHECK(contains(remarks[1], "Use `engine = \"compile\"` to compute"));
}

TEST_CASE("a statement of generated quantities takes with it the loops that it would end",
          "[stan]") {
  engines::need_stanli();
  const Case one("interpret",
                 "functions { real late(real a) { int g = 0; while (1) { g += 1; if (g > 5) return "
                 "7; } return 0; } }\n"
                 "parameters { real a; }\nmodel { a ~ normal(0, 1); }\ngenerated quantities {\n"
                 "  real b = 2 * a;\n  real n = 0;\n  real stop = 0;\n"
                 "  (n, stop) = (1.0, 1.0);\n  while (stop < 1) n += 1;\n  real c = late(a);\n"
                 "  { array[2] int m = multinomial_rng([0.5, 0.5]', 3); if (m[1] > 5) "
                 "reject(\"large\"); }\n}\n");
  const auto model = one.model("");
  const auto generated = model->offers<mixwell::Generated>()->generated();
  REQUIRE(generated.size() == 1);
  CHECK(generated[0].name == "b");
  const auto remarks = model->remarks();
  REQUIRE(remarks.size() == 2);
  for (const char* const part :
       {"missing from the results: `n`, `stop`, `c` (",
        "x.stan:8:3: ", "x.stan:10:3: `late`, or a function that it calls, has", "x.stan:11:3: ",
        "One of the omitted statements can reject a draw. The results do not mark the draws that "
        "it would reject."})
    CHECK(contains(remarks[1], part));
}

TEST_CASE("fatal_error rejects a draw, or the data, as reject does", "[stan]") {
  engines::need_stanli();
  const Case one(
      "interpret",
      "parameters { real a; }\nmodel { a ~ normal(0, 1); if (a > 5) fatal_error(\"far\"); }\n"
      "generated quantities {\n  int g = 0;\n  real x = 1;\n"
      "  while (x > 0) {\n    g += 1;\n    if (g > 5 - a) fatal_error(\"bad: \", g);\n"
      "    if (g > 3) break;\n  }\n}\n");
  const auto model = one.model("");
  MatrixXd out(2, 2);
  model->offers<mixwell::Generated>()->generate(MatrixXd{{0, 3}}, mixwell::Stream(1, "x"), {}, out);
  CHECK(out.col(0) == MatrixXd{{4}, {1}});
  CHECK(out.col(1).array().isNaN().all());
  CHECK(contains(model->remarks().back(), "bad: 3"));
  const auto u = support::evaluate(*model, MatrixXd{{0, 6}}).u;
  CHECK(std::isfinite(u[0]));
  CHECK(u[1] == std::numeric_limits<double>::infinity());
  const Case two("interpret",
                 "transformed data { fatal_error(\"no\"); }\nparameters { real a; }\nmodel { a ~ "
                 "normal(0, 1); }\n");
  CHECK(contains(two.said(""), "in its block `transformed data`"));
}

TEST_CASE("a start may leave out a unit vector", "[stan]") {
  engines::need_stanli();
  const Case one(
      "interpret",
      "parameters { real a; unit_vector[3] u; simplex[3] p; }\nmodel { a ~ normal(0, 1); }\n");
  const auto model = one.model("");
  const MatrixXd theta = start(one, *model, R"({"a": 0.5, "p": [0.2, 0.3, 0.5]})");
  CHECK(theta(0) == 0.5);
  CHECK(theta.array().isNaN().count() == 3);
  CHECK(contains(refused_start(one, *model, R"({"p": [0.5, 0, 0.5]})"),
                 "start.json:1:7: `p[1]` is 0, but the program declares `simplex[3] p` ("));
}
