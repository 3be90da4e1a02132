// Declarations of programs in the Stan language, and data compared with them.
// SPDX-License-Identifier: Apache-2.0
#include "../../models/stan/constraints.hpp"
#include "../../models/stan/shapes.hpp"
#include "../../models/stan/statements.hpp"
#include "support.hpp"

#include <string>
#include <vector>

namespace {

using namespace mixwell::stan;
using mixwell::Index;
using support::contains;

Program program_of(const std::string& text, const std::string& folder = "") {
  return {.path = folder + "/x.stan", .text = text, .include_paths = {folder}};
}

/// "name: word, sizes as written", of a block.
std::vector<std::string> declared(const std::string& text, const std::string& block = "data") {
  const ProgramText program(program_of(text));
  std::vector<std::string> all;
  for (const Declared& one : declarations_in(program, block).variables) {
    std::string line = one.name + ": " + one.type.word;
    for (const Tokens size : one.type.sizes) line += ", " + program.text_of(size);
    all.push_back(line);
  }
  return all;
}

/// The result for data and a block of declarations: "accepted" with what is left to an engine, or
/// the message.
std::string said(const std::string& declarations, const std::string& json) {
  const Program program = program_of("data {\n  " + declarations + "\n}\n");
  const ProgramText text(program);
  const Declarations all = declarations_in(text, "data");
  std::set<std::string> names;
  for (const Declared& one : all.variables) add_names(one.type, &mixwell::stan::Type::sizes, names);
  try {
    const auto data = json.empty() ? Data{.names = {}} : read_data("x.json", json, names);
    const Checked checked = check_data(program, all, data, json.empty() ? "" : "x.json");
    std::string left;
    for (const std::string& name : checked.left_out) left += " " + name;
    return "accepted" + left + (checked.unknown ? " unknown: " + checked.unknown->second : "");
  } catch (const mixwell::InputError& error) {
    return error.what();
  }
}

void says(const std::string& declarations, const std::string& json, const std::string& part) {
  const std::string words = said(declarations, json);
  INFO(declarations << "\n" << json << "\n" << words);
  CHECK(contains(words, part));
}

/// The size of `x` in the declaration, or -1.
double size(const std::string& expression) {
  const ProgramText program(program_of("data { vector[" + expression + "] x; }"));
  const Values known = {{"N", {{}, {7}, true}},
                        {"n", {{3}, {4, 5, 6}, true}},
                        {"X", {{2, 3}, {1, 2, 3, 4, 5, 6}, false}}};
  return size_of(declarations_in(program, "data").variables.at(0).type.sizes.at(0), known)
      .value_or(-1);
}

/// The result for values of parameters, "inside" if there is no message. `data` is for bounds.
std::string broken(const std::string& declarations, const std::string& json,
                   const std::string& data = "{}") {
  const ProgramText text(program_of("parameters {\n  " + declarations + "\n}\n"));
  const Declarations all = declarations_in(text, "parameters");
  std::set<std::string> names = {"N", "low"};
  for (const Declared& one : all.variables) names.insert(one.name);
  const Constraints constraints(all, read_data("data.json", data, names).kept);
  const auto found = constraints.broken_by(read_data("x.json", json, names).kept);
  return found ? found->variable + ": " + found->words : "inside";
}

void breaks(const std::string& declarations, const std::string& json, const std::string& part) {
  const std::string words = broken(declarations, json);
  INFO(declarations << "\n" << json << "\n" << words);
  CHECK(contains(words, part));
}

/// The generated quantities that are left without the statement that begins with `first`.
std::string without(const std::string& block, const std::string& first) {
  const ProgramText program(program_of("generated quantities {" + block + "}"));
  const auto all = statements_in(program, program.block("generated quantities"));
  std::vector<bool> dropped(all.size(), false);
  for (std::size_t k = 0; k < all.size(); ++k)
    if (program.text_of(all[k].tokens).starts_with(first)) drop(all, k, dropped);
  std::string left;
  for (std::size_t k = 0; k < all.size(); ++k)
    if (!dropped[k]) left += (left.empty() ? "" : " | ") + program.text_of(all[k].tokens);
  return left;
}

}  // namespace

TEST_CASE("declarations of every form are read", "[stan]") {
  CHECK(declared("data { int<lower=0, upper=max({1, 2})> N; // int M;\n"
                 "  real a, b; /* real c; */ vector<offset=a, multiplier=b>[N] v;\n"
                 "  array[N, 2 * N] matrix[N, 3] A; cov_matrix[N] S; cholesky_factor_cov[N, 2] L;\n"
                 "  complex_matrix[2, N] C; array[N] tuple(int, array[3] vector[N]) t; }") ==
        std::vector<std::string>{"N: int", "a: real", "b: real", "v: vector, N",
                                 "A: matrix, N, 2 * N, N, 3", "S: cov_matrix, N, N",
                                 "L: cholesky_factor_cov, N, 2", "C: complex_matrix, 2, N",
                                 "t: tuple, N"});
  CHECK(declared("data { int N; real x[N, 2]; }") ==
        std::vector<std::string>{"N: int", "x: real, N, 2"});
  CHECK(declared("functions { real data_of(data real x) { return x; } }\n"
                 "transformed data { int K = 1; }\ndata { }") == std::vector<std::string>{});
  CHECK(declared("data { int N; }\ntransformed data { int K = {1, 2}[1], L = N; real z; }",
                 "transformed data") == std::vector<std::string>{"K: int", "L: int", "z: real"});
}

TEST_CASE("a program is read with what it includes", "[stan]") {
  const support::TemporaryFolder folder;
  std::ofstream(folder.path() + "/more.stan") << "int M;\n  matrix[N, M] x;";
  const Program program = program_of(
      "data {\n  int N;\n  #include <more.stan> // one\n  real z;\n}\n"
      "#include nowhere.stan\ngenerated quantities { real b; }",
      folder.path());
  const ProgramText text(program);
  const auto variables = declarations_in(text, "data").variables;
  REQUIRE(variables.size() == 4);
  CHECK(to_string(variables[2].where) == folder.path() + "/more.stan:2:16");
  CHECK(variables[2].text == "matrix[N, M] x");
  CHECK(to_string(variables[3].where) == folder.path() + "/x.stan:4:8");
  CHECK(text.block_at({folder.path() + "/x.stan", 7, 1}) == "generated quantities");
  const std::string blank = text.without({text.block("generated quantities")});
  CHECK(contains(blank, "generated quantities {         }"));
  CHECK(contains(text.only({"data"}), "real z;"));
  CHECK_FALSE(contains(text.only({}), "real z;"));
}

TEST_CASE("sizes are evaluated as Stan does", "[stan]") {
  CHECK(size("N * (N - 1) / 2") == 21);
  CHECK(size("N / 2") == 3);
  CHECK(size("N %/% 2 + N % 4") == 6);
  CHECK(size("2 + 3 * -N + 40") == 21);
  CHECK(size("N > 5 && !(N == 6) ? n[2] : 1") == 5);
  CHECK(size("sum(n) - max(n) + min(3, N)") == 12);
  CHECK(size("rows(X) + cols(X) + size(n) + num_elements(X)") == 14);
  CHECK(size("1_000") == 1000);
  const std::string deep(100000, '(');
  CHECK(size(deep + "N" + std::string(deep.size(), ')')) == -1);
  CHECK(size(std::string(100000, '-') + "N") == -1);
  for (const char* const unknown : {"f(N)", "M", "n[4]", "n", "N / 0", "2^3", "X[1, 2]", "N +"})
    CHECK(size(unknown) == -1);
}

TEST_CASE("data in the shapes that are declared are accepted", "[stan]") {
  const std::string matrix = "int N; matrix[N, 2] x; array[N] int g;";
  CHECK(said(matrix, R"({"N": 3, "x": [[1, 2], [3, 4], [5, 6]], "g": [1, 2, 3]})") == "accepted");
  CHECK(said(matrix, R"({"N": 0, "x": [], "g": []})") == "accepted");
  CHECK(said(matrix, R"({"N": 0, "x": [[], []]})") == "accepted g");
  CHECK(said(matrix, R"({"N": 0, "other": 1})") == "accepted x g");
  CHECK(said("complex z; complex_vector[2] w;", R"({"z": [1, 2], "w": [[1, 2], [3, 4]]})") ==
        "accepted");
  CHECK(said("array[2] tuple(int, vector[3]) t;",
             R"({"t": [{"1": 1, "2": [1, 2, 3]}, {"1": 2, "2": [4, 5, 6]}]})") == "accepted");
  CHECK(said("int N; array[N] tuple(int, real) t;", R"({"N": 0, "t": []})") == "accepted");
  CHECK(said("int N;", R"({"N": -2147483648})") == "accepted");
}

TEST_CASE("data of another shape than declared are refused with both", "[stan]") {
  const std::string matrix = "int N;\n  matrix[N, 3] x;";
  says(matrix, R"({"N": 2, "x": [[1, 2], [3, 4], [5, 6]]})",
       "x.json:1:15: `x` is an array of 3 x 2, but the program declares `matrix[N, 3] x` "
       "(/x.stan:3:16), which is an array of 2 x 3 with these data. The value seems to be "
       "transposed. Write a "
       "matrix "
       "as a list of its rows.");
  says(matrix, R"({"N": 2, "x": [1, 2, 3, 4, 5, 6]})", "Write the value as a list of rows");
  says(matrix, R"({"N": [2], "x": [1, 2, 3, 4, 5, 6]})",
       "`N` is an array of 1, but the program declares `int N` (/x.stan:2:7), which is a number "
       "with these data. Write the number without brackets.");
  says("array[3] real y;", R"({"y": [[1, 2, 3]]})", "Write one list of numbers");
  says("vector[2] y;", R"({"y": [[1], [2]]})", "`y` is an array of 2 x 1");
  says("array[2] vector[3] y;", R"({"y": [[1, 2], [3, 4], [5, 6]]})",
       "is an array of 2 x 3 with these data");
  says("vector[2] y;", R"({"y": []})", "`y` is an array of 0");
  says("int N; vector[N] y;", R"({"N": 0, "y": [1]})", "which is an array of 0 with these data.");
  says("complex z;", R"({"z": 1})", "Write a complex number as [REAL, IMAGINARY].");
  says("cov_matrix[2] S;", R"({"S": [1, 0, 0, 1]})", "an array of 2 x 2 with these data");
  says("tuple(int, real) t;", R"({"t": [1, 2]})", "Write a tuple as {\"1\": VALUE");
  says("tuple(int, real) t;", R"({"t": {"1": 2}})", "`t` is a tuple, but the program declares");
  says("tuple(int, vector[2]) t;", R"({"t": {"1": 2, "2": [1]}})", "`t:2` is an array of 1");
  says("real t;", R"({"t": {"1": 2}})", "`t` is a tuple, but the program declares `real t`");
  says("int N; vector[N - 3] y;", R"({"N": 2, "y": []})",
       "/x.stan:2:24: the data in x.json give `vector[N - 3] y` a size of -1");
}

TEST_CASE("data of another type than declared are refused", "[stan]") {
  for (const char* const number : {"1.5", "1.0", "1e2", "2147483648", "NaN", "\"Inf\""}) {
    says("int N;", "{\"N\": " + std::string(number) + "}", "`N` must have only integer values");
    says("array[2] int N;", "{\"N\": [1, " + std::string(number) + "]}",
         "must have only integer values");
    CHECK(said("real N;", "{\"N\": " + std::string(number) + "}") == "accepted");
  }
}

TEST_CASE("variables that data lack are named with what the program declares", "[stan]") {
  const std::string block = "int N; vector[N] yy;\n  real z;";
  says(block, R"({"N": 1, "y": [1]})",
       "x.json: the file has no values for variables that /x.stan declares: `vector[N] yy` (line "
       "2), `real z` (line 3)");
  says(block, R"({"N": 1, "y": [1]})", "did you mean \"y\"?");
  says(block, "",
       "no data are given, but the program needs `int N` (line 2), `vector[N] yy` (line 2), `real "
       "z` "
       "(line 3). Give the path of a JSON file with these variables, or write them to "
       "`x.data.json` or `x.json` in /,");
}

TEST_CASE("shapes that Mixwell cannot know are left to engines that look at them", "[stan]") {
  CHECK(said("int N; matrix[f(N), 2] x;", R"({"N": 1, "x": [[1, 2]]})") == "accepted");
  says("int N; matrix[f(N), 2] x;", R"({"N": 1, "x": [[1, 2, 3]]})", "`x` is an array of 1 x 3");
  CHECK(said("int N; matrix[f(N), 2] x;", R"({"N": 1})") == "accepted");
  CHECK(said("int N; matrix[f(N), g(N)] x;", R"({"N": 1, "x": [[1, 2]]})") ==
        "accepted unknown: sizes of `matrix[f(N), g(N)] x` that Mixwell cannot evaluate");
  CHECK(said("int N; quaternion[N] x;", R"({"N": 1, "x": [[1, 2]]})") ==
        "accepted unknown: a declaration that Mixwell cannot read");
}

TEST_CASE("a statement goes with all that uses what it computes, and nothing else", "[stan]") {
  const std::string block =
      "real b = 2 * a; array[3] int m = g(p); real<lower=0, upper=1> q; real c = b;\n"
      "for (i in 1:3) { q += m[i]; } { array[2] int l = {1, 2}; c = l[1]; }\n"
      "if (b > 0) q = 1; else { q = 2; } real d = q; vector[2] v; v[1] = b; real e = 1, f = v[2];";
  CHECK(without(block, "array[3] int m") ==
        "real b = 2 * a; | real c = b; | { array[2] int l = {1, 2}; c = l[1]; } | vector[2] v; | "
        "v[1] = b; | real e = 1, f = v[2];");
  CHECK(contains(without(block, "v[1] = b"), "real d = q;"));
  CHECK_FALSE(contains(without(block, "v[1] = b"), "real e"));
  CHECK(without(block, "nothing") ==
        "real b = 2 * a; | array[3] int m = g(p); | real<lower=0, upper=1> q; | real c = b; | for "
        "(i in 1:3) { q += m[i]; } | { array[2] int l = {1, 2}; c = l[1]; } | if (b > 0) q = 1; "
        "else { q = 2; } | real d = q; | vector[2] v; | v[1] = b; | real e = 1, f = v[2];");
}

TEST_CASE("a statement goes with loops that it would end, and loops go as a whole", "[stan]") {
  CHECK(without("real n = 0; real stop = 0; real m; (m, stop) = f(); real b = a; int i = 1;\n"
                "while (stop < 1) { n += 1; }",
                "(m, stop)") == "real b = a; | int i = 1;");
  CHECK(without("array[3] real v; real w; int i = 2; (v[i], (w, t.1)) = f(); real c = i;\n"
                "real d = (w == 2);",
                "(v[i]") == "int i = 2; | real c = i;");
  CHECK(without("int g = 0; real x = 1; while (x > 0) { g += 1; if (g > 5) fatal_error(\"bad\"); }",
                "while") == "real x = 1;");
  CHECK(without("int g = 0; for (i in 1:3) while (1) if (g > i) break; else g += 1; real c = a;",
                "for") == "real c = a;");
}

TEST_CASE("functions are known by what they and those that they call have", "[stan]") {
  const ProgramText program(program_of(
      "functions {\n"
      "  real later(real a);\n"
      "  int f(int n) { int g = n; while (g < 9) { g += 1; if (g > 5) return 7; } "
      "return -1; }\n"
      "  real law_lpdf(real y, array[] real z) { return f(2) * y; }\n"
      "  tuple(real, real) pair(tuple(int, real) t) { while (1) break; return (1, 2); }\n"
      "  real later(real a) { for (i in 1:3) { return a; } while (a > 1) { } return a; }\n"
      "  void deep() { for (i in 1:3) while (1) { if (i == 2) { return; } } }\n"
      "}\nmodel { }"));
  CHECK(functions_in(program).size() == 5);
  CHECK(functions_with(program, returns_from_while) ==
        std::set<std::string>{"deep", "f", "law", "law_lpdf", "law_lupdf", "law_lupmf"});
  CHECK(functions_with(program, [](Tokens body) { return mentions(body, {"break"}); }) ==
        std::set<std::string>{"pair"});
}

TEST_CASE("values on the boundary of a constraint are told with element and rule", "[stan]") {
  CHECK(broken("simplex[3] p;", R"({"p": [0.5, 0, 0.5]})") ==
        "p: `p[1]` is 0, but the program declares `simplex[3] p` (/x.stan:2:14): its elements must "
        "be above 0 and sum to 1");
  breaks("simplex[3] p;", R"({"p": [0.2, 0.2, 0.2]})", "the elements of `p` sum to 0.6, but");
  breaks("array[2] simplex[2] p;", R"({"p": [[0.5, 0.5], [0, 1]]})", "`p[1, 0]` is 0, but");
  breaks("ordered[3] o;", R"({"o": [1, 1, 2]})", "`o[1]` is 1, but");
  breaks("positive_ordered[2] o;", R"({"o": [0, 1]})", "`o[0]` is 0, but");
  breaks("positive_ordered[2] o;", R"({"o": [1, 0.5]})", "`o[1]` is 0.5, but");
  breaks("unit_vector[2] u;", R"({"u": [1, 1]})",
         "the squares of the elements of `u` sum to 2, but");
  breaks("sum_to_zero_vector[2] z;", R"({"z": [1, 1]})", "the elements of `z` sum to 2, but");
  breaks("sum_to_zero_matrix[2, 2] z;", R"({"z": [[1, -1], [1, -1]]})",
         "the elements of column 0 of `z` sum to 2, but");
  breaks("corr_matrix[2] R;", R"({"R": [[1, 1], [1, 1]]})", "`R` is not positive definite, but");
  breaks("corr_matrix[2] R;", R"({"R": [[1, 0.2], [0.3, 1]]})", "`R[0, 1]` is 0.2, but");
  breaks("corr_matrix[2] R;", R"({"R": [[1, 0], [0, 2]]})", "`R[1, 1]` is 2, but");
  breaks("cov_matrix[2] S;", R"({"S": [[0, 0], [0, 1]]})", "`S` is not positive definite, but");
  breaks("cholesky_factor_corr[2] L;", R"({"L": [[1, 0.1], [0, 1]]})", "`L[0, 1]` is 0.1, but");
  breaks("cholesky_factor_corr[2] L;", R"({"L": [[1, 0], [1, 0]]})", "`L[1, 1]` is 0, but");
  breaks("cholesky_factor_corr[2] L;", R"({"L": [[1, 0], [0.6, 0.6]]})",
         "the squares of the elements of row 1 of `L` sum to 0.72, but");
  breaks("cholesky_factor_cov[2] C;", R"({"C": [[1, 0], [5, 0]]})", "`C[1, 1]` is 0, but");
  breaks("column_stochastic_matrix[2, 2] c;", R"({"c": [[0.5, 0.3], [0.5, 0.6]]})",
         "the elements of column 1 of `c` sum to 0.9, but");
  breaks("row_stochastic_matrix[2, 2] c;", R"({"c": [[0.5, 0.3], [0.5, 0.5]]})",
         "the elements of row 0 of `c` sum to 0.8, but");
  breaks("real<lower=0> s;", R"({"s": 0})",
         "`s` is 0, but the program declares `real<lower=0> s` (");
  breaks("real<lower=0> s;", R"({"s": 0})", "): its values must be above 0");
  breaks("array[2] vector<lower=-1, upper=max({1, 2}) + 1>[2] v;", R"({"v": [[0, 0], [0, -1]]})",
         "`v[1, 1]` is -1, but");
  breaks("vector<upper=2>[2] v;", R"({"v": [1, 2]})", "its values must be below 2");
  breaks("tuple(real, vector<lower=0>[2]) t;", R"({"t": {"1": 0, "2": [1, 0]}})",
         "`t:2[1]` is 0, but");
  breaks("real s; real<lower=s, upper=3> u;", R"({"s": 1, "u": 1})",
         "its values must be above 1 and below 3");
}

TEST_CASE("values inside a constraint, or a constraint that is not known, say nothing", "[stan]") {
  CHECK(broken(
            "real<lower=0, upper=1> s; simplex[2] p; ordered[2] o; corr_matrix[2] R;",
            R"({"s": 1e-300, "p": [1e-300, 1], "o": [1, 1.0000001], "R": [[1, 0.9], [0.9, 1]]})") ==
        "inside");
  CHECK(
      broken("cholesky_factor_cov[3, 2] C; unit_vector[2] u; vector<offset=1, multiplier=2>[2] v;",
             R"({"C": [[1, 0], [2, 3], [0, 0]], "u": [0.6, 0.8], "v": [0, 0]})") == "inside");
  CHECK(broken("real s; real<lower=s> u; real<lower=f(2)> w; vector<lower=a>[1] z;",
               R"({"u": -5, "w": -5, "z": [-5]})") == "inside");
  CHECK(broken("real<lower=low> u;", R"({"u": 1})", R"({"low": 0.5})") == "inside");
  CHECK(contains(broken("real<lower=low> u;", R"({"u": 0.5})", R"({"low": 0.5})"), "above 0.5"));
  CHECK(broken("vector<lower=low>[2] u;", R"({"u": [1, 2]})", R"({"low": [5, 5]})") == "inside");
  CHECK(broken("complex z; vector[0] e; simplex[2] p;", R"({"z": [0, 0], "e": []})") == "inside");
}

TEST_CASE("a constraint that depends on a parameter is known to do so", "[stan]") {
  const ProgramText text(program_of(
      "parameters { real s; array[2] tuple(real, vector<upper=2 * s>[2]) t; real<lower=0> p; }"));
  const Constraints constraints(declarations_in(text, "parameters"), {});
  const auto found = constraints.depending_on({"p", "s"});
  REQUIRE(found);
  CHECK(found->variable == "t");
  CHECK(found->words == "`s`");
  CHECK_FALSE(constraints.depending_on({"s", "t"}));
  CHECK_FALSE(constraints.depending_on({"p"}));
}
