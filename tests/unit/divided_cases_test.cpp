// A logistic regression whose cases are read in shards: the posterior of the whole file.
// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

#include <mixwell/data.hpp>
#include <mixwell/shards.hpp>

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

using namespace mixwell;
using support::TemporaryFolder;

namespace {

/// 300 rows: a constant column, one with gaps, offsets and weights.
std::string csv_text() {
  std::string text = "a,b,c,one,off,w,y\r\n";
  for (int n = 0; n < 300; ++n) {
    const double a = std::sin(3.0 * n);
    const double b = 5.0 + 3.0 * std::cos(7.0 * n * n);
    text += fmt::format("{:.6f},{:.6f},{},2.5,{},{},{}\r\n", a, b,
                        n % 41 == 0 ? "NA" : fmt::format("{}", n % 7), 0.1 * (n % 3), 1 + n % 2,
                        a + 0.1 * b > 0.4 ? "yes" : "no");
    if (n % 50 == 0) text += "\n";
  }
  return text;
}

/// 200 rows, the last without an end of line; index 5 in one of them alone.
std::string libsvm_text() {
  std::string text;
  for (int n = 0; n < 200; ++n) {
    text += fmt::format("{}{} 2:{:.6f}{}", n == 0 ? "" : "\n", n % 3 == 0 ? "+1" : "-1",
                        std::sin(1.7 * n), n == 150 ? " 5:1.25" : "");
  }
  return text;
}

std::shared_ptr<const Model> model_of(const std::string& keys, const std::string& ranks) {
  return parse_manifest("mixwell = 1\n[run]\nranks = \"" + ranks +
                            "\"\n[model.target]\nuse = \"logistic-regression\"\n" + keys +
                            "\n[integrator.verlet]\nuse = \"leapfrog\"\n[kernel.hmc]\nuse = "
                            "\"hamiltonian\"\nstep_size = 0.1\nsteps = 1\n",
                        "test.toml", support::registry())
      .model();
}

std::string refusal_of(const std::string& keys) {
  try {
    model_of(keys, "data");
    return "accepted";
  } catch (const InputError& error) {
    return error.what();
  }
}

void check_same_law(const std::string& keys) {
  const auto whole = model_of(keys, "replicates");
  const auto divided = model_of(keys, "data");
  REQUIRE(divided->dimension() == whole->dimension());
  REQUIRE(divided->offers<SumOfTerms>()->terms() == whole->offers<SumOfTerms>()->terms());
  CHECK(coordinate_names(divided->parameters()) == coordinate_names(whole->parameters()));
  CHECK(divided->remarks() == whole->remarks());
  const Eigen::MatrixXd theta = Eigen::MatrixXd::NullaryExpr(
      whole->dimension(), 3, [](Index i, Index j) { return std::sin(double(1 + i + 5 * j)); });
  const support::Evaluated wanted = support::evaluate(*whole, theta);
  const support::Evaluated found = support::evaluate(*divided, theta);
  CHECK((found.u - wanted.u).norm() < 1e-12 * wanted.u.norm());
  CHECK((found.g - wanted.g).norm() < 1e-12 * wanted.g.norm());

  Workspace scratch;
  const Eigen::MatrixXd indices = Eigen::MatrixXd::NullaryExpr(20, 1, [&](Index k, Index) {
    return double((k * 83) % whole->offers<SumOfTerms>()->terms());
  });
  Eigen::MatrixXd each(theta.rows(), indices.rows());
  Eigen::MatrixXd same(theta.rows(), indices.rows());
  whole->offers<SumOfTerms>()->gradients_of_terms(theta.col(0), indices, each, scratch);
  divided->offers<SumOfTerms>()->gradients_of_terms(theta.col(0), indices, same, scratch);
  CHECK((same - each).norm() < 1e-12 * each.norm());
}

template <class Table>
Index rows_of_parts(const std::string& path, Index count) {
  Index rows = 0;
  for (Index k = 0; k < count; ++k) {
    if constexpr (std::is_same_v<Table, CsvTable>)
      rows += CsvTable(path, {k, count, k % 2 == 0}).rows();
    else
      rows += LibsvmTable(path, 0, {k, count, k % 2 == 0}).rows();
  }
  return rows;
}

}  // namespace

TEST_CASE("cases read in shards have the posterior of the whole file") {
  const TemporaryFolder folder;
  const std::string csv = folder.file("cases.csv", csv_text());
  const std::string svm = folder.file("cases.svm", libsvm_text());
  check_same_law("data = \"" + csv +
                 "\"\nresponse = \"y\"\nmissing = \"drop\"\noffset = \"off\"\n" +
                 "weights = \"w\"\npowers = 2");
  check_same_law("data = \"" + csv +
                 "\"\nresponse = \"y\"\ninputs = [\"a\", \"b\"]\nstandardize = false");
  check_same_law("data = \"" + svm + "\"\nformat = \"libsvm\"");
  check_same_law("data = \"" + svm + "\"\nformat = \"libsvm\"\nprojection = 3");
}

TEST_CASE("the parts of a file have each of its rows once, however many they are") {
  const TemporaryFolder folder;
  const std::string csv = folder.file("cases.csv", csv_text());
  const std::string svm = folder.file("cases.svm", libsvm_text());
  for (const Index count : {2, 3, 64, 1000, 20000}) {
    CHECK(rows_of_parts<CsvTable>(csv, count) == 300);
    CHECK(rows_of_parts<LibsvmTable>(svm, count) == 200);
  }
}

TEST_CASE("what is wrong in a shard is told with its line and row in the whole file") {
  const TemporaryFolder folder;
  const std::string keys = "response = \"y\"\nmissing = \"drop\"\ndata = ";
  std::string text = csv_text();
  const std::size_t at = text.find(",2.5,", text.size() / 2);
  text.replace(at, 5, ",two,");
  const std::string csv = folder.file("broken.csv", text);
  std::string of_whole;
  try {
    model_of(keys + "\"" + csv + "\"", "replicates");
  } catch (const InputError& error) {
    of_whole = error.what();
  }
  REQUIRE(of_whole.find("\"two\" is no finite number") != std::string::npos);
  const std::string place = of_whole.substr(0, of_whole.find(": row"));
  CHECK(refusal_of(keys + "\"" + csv + "\"").find(place + ": row") != std::string::npos);
}

TEST_CASE("what cannot be divided is refused with the cure") {
  const TemporaryFolder folder;
  const std::string csv = folder.file("cases.csv", csv_text());
  const std::string empty = folder.file("empty.csv", "a,y\n");
  const std::string keys = "data = \"" + csv + "\"\nresponse = \"y\"\nmissing = \"drop\"\n";
  CHECK(refusal_of(keys + "factors = [\"c\"]").find("make a column of 0 and 1") !=
        std::string::npos);
  CHECK(refusal_of("data = \"" + empty + "\"\nresponse = \"y\"").find("no rows") !=
        std::string::npos);
}
