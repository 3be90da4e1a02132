// The part of summary.json about a reference: what is compared, weights, refusals.
// SPDX-License-Identifier: Apache-2.0
#include "draws_testing.hpp"

#include <mixwell/lab/distances.hpp>
#include <mixwell/lab/summary.hpp>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>

using namespace mixwell;
using namespace mixwell::testing;
using Json = nlohmann::ordered_json;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr Index draws = 50;

/// Looks random, is the same everywhere; `shift` makes another file of it.
double number(double shift, std::size_t column, std::int64_t draw, Index chain, Index element) {
  const double place = double(column) + 3.0 * double(element) + 1e3 * double(chain) + double(draw);
  const double x = std::sin(12.9898 * place + shift) * 43758.5453;
  return x - std::floor(x) + shift + double(element);
}

/// 2 chains x 50 draws of x (2), W (2 x 2) and what only this file has.
void write(const std::string& folder, double shift, const std::string& own) {
  RunHeader h = header(folder, {real("x", {2}), real("W", {2, 2}), real(own), statistic("weight")});
  h.replicates = 2;
  write_file(h, draws, [shift](std::size_t column, std::int64_t draw, Index chain, Index element) {
    return column == 3 ? 1.0 + double(draw % 3) : number(shift, column, draw, chain, element);
  });
}

struct Pair {
  Pair() {
    write(one.path(), 0, "a");
    write(two.path(), 0.25, "b");
  }
  Json reference(SummaryOptions options) const {
    if (options.reference.empty()) options.reference = two.path();
    return Json::parse(summary_json(summarise(DrawsFile(one.path()), 1, 1, options)))["reference"];
  }
  std::string refused(const SummaryOptions& options) const {
    try {
      reference(options);
      return "accepted";
    } catch (const InputError& error) {
      return error.what();
    }
  }
  std::string csv(const std::string& text) const {
    std::ofstream(two.path() + "/r.csv") << text;
    return two.path() + "/r.csv";
  }
  TemporaryFolder one;
  TemporaryFolder two;
};

/// Moments of elements of x in the file of `shift`.
diagnostics::Moments moments_of_x(double shift, bool weighted) {
  MatrixXd x(2 * draws, 2);
  VectorXd w(2 * draws);
  for (Index k = 0; k < x.rows(); ++k) {
    w[k] = weighted ? 1.0 + double(k % draws % 3) : 1.0;
    for (const Index e : {0, 1}) x(k, e) = number(shift, 0, k % draws, k / draws, e);
  }
  return diagnostics::moments(x, w);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a summary compares means and covariances with a reference, weighted on both sides") {
  const Pair files;
  for (const bool weighted : {true, false}) {
    const Json json = files.reference({.of = {"x"}, .unweighted = !weighted});
    const auto found = moments_of_x(0, weighted);
    const auto wanted = moments_of_x(0.25, true);
    CHECK(json["coordinates"] == 2);
    CHECK(json["draws"] == 100);
    CHECK(json["left_out"].empty());
    CHECK(json["rem"].get<double>() ==
          Approx(diagnostics::relative_error(found.mean, wanted.mean)).epsilon(1e-12));
    CHECK(json["rec"].get<double>() ==
          Approx(diagnostics::relative_error(found.covariance, wanted.covariance)).epsilon(1e-12));
  }
  CHECK(files.reference({.reference = files.one.path()})["rem"] == 0);
  CHECK(files.reference({.reference = files.one.path()})["rec"] == 0);
}

TEST_CASE("an error relative to means that cannot be told from 0 is left out") {
  const TemporaryFolder one;
  const TemporaryFolder two;
  const auto rem = [&](double mean) {
    for (const auto* folder : {&one, &two}) {
      const double seed = folder == &one ? 0.0 : 7.0;
      write_file(header(folder->path(), {real("x", {2})}), 400,
                 [&](std::size_t c, std::int64_t draw, Index chain, Index e) {
                   return number(seed, c, draw, chain, e) - seed - double(e) - 0.5 + mean;
                 });
    }
    SummaryOptions options;
    options.reference = two.path();
    const Json json = Json::parse(summary_json(summarise(DrawsFile(one.path()), 1, 1, options)));
    CHECK(json["reference"]["rec"].is_number());
    return json["reference"]["rem"];
  };
  CHECK(rem(0.0).is_null());
  REQUIRE(rem(0.5).is_number());
  CHECK(rem(0.5).get<double>() < 0.1);
  // A value that is known exactly is not noise, however small it is.
  const Pair files;
  const Json exact =
      files.reference({.reference = files.csv("x[1],x[0]\n1e-9,0\n"), .unweighted = true});
  CHECK(exact["rem"].get<double>() > 1e6);
}

TEST_CASE("elements that one side lacks are left out and named") {
  const Pair files;
  const Json json = files.reference({});
  CHECK(json["coordinates"] == 6);
  CHECK(json["left_out"] == Json{"a", "b"});
  CHECK(contains(files.refused({.of = {"a"}}), "has none of the variables"));
  CHECK(contains(files.refused({.of = {"a", "x"}}), "lacks a, which --of selects"));
  CHECK(contains(files.refused({.of = {"z"}}), "must name a real-valued posterior variable"));
}

TEST_CASE("a table is a reference, and one row has no covariance") {
  const Pair files;
  const Json one =
      files.reference({.reference = files.csv("x[1],x[0]\n2,1\n"), .unweighted = true});
  const VectorXd mean = moments_of_x(0, false).mean;
  CHECK(one["rem"].get<double>() == Approx(((mean - VectorXd{{1, 2}}).cwiseAbs().sum()) / 3));
  CHECK(one["rec"].is_null());
  CHECK(files.reference({.reference = files.csv("x[1],x[0]\n2,1\n3,1\n")})["rec"].is_number());
  CHECK(contains(files.refused({.reference = files.csv("y\n2\n")}), "has none of the variables"));
  CHECK(contains(files.refused({.reference = files.csv("x[0]\ntwo\n")}), "r.csv:2"));
  CHECK(contains(files.refused({.reference = files.two.path() + "/none.csv"}), "none.csv"));
}

TEST_CASE("columns of a table are elements, and one alone for each") {
  const Pair files;
  const auto says = [&](const std::string& text) {
    return files.refused({.reference = files.csv(text)});
  };
  CHECK(contains(says("x[0:2]\n1\n"), "the column \"x[0:2]\" names 2 elements"));
  CHECK(contains(says("x[0],x[-2]\n1,1\n"),
                 "the columns \"x[0]\" and \"x[-2]\" name the same element"));
  CHECK(contains(says("x[first]\n1\n"), "has \"first\", which must be an index or a slice"));
  CHECK(files.reference({.reference = files.csv("x[0],x[2]\n1,1\n")})["left_out"].back() == "x[2]");
  CHECK(files.reference({.reference = files.csv("x[0],a[kg]\n1,1\n")})["left_out"].back() ==
        "a[kg]");
}

TEST_CASE("matrices are compared row by row by their Amari distance") {
  const Pair files;
  const std::string path = files.csv("\"W[0,0]\",\"W[0,1]\",\"W[1,0]\",\"W[1,1]\"\n2,1,0,4\n");
  const SummaryOptions options{.reference = path, .amari = {"W"}, .unweighted = true};
  MatrixXd mean = MatrixXd::Zero(2, 2);
  for (Index k = 0; k < 2 * draws; ++k)
    for (const Index e : {0, 1, 2, 3})
      mean(e / 2, e % 2) += number(0, 1, k % draws, k / draws, e) / double(2 * draws);
  const double distance = diagnostics::amari_distance(mean, MatrixXd{{2, 1}, {0, 4}});
  CHECK(files.reference(options)["amari"]["W"].get<double>() == Approx(distance).epsilon(1e-12));
  // With columns instead of rows this would be another distance.
  CHECK(std::abs(diagnostics::amari_distance(mean.transpose(), MatrixXd{{2, 0}, {1, 4}}) -
                 distance) > 1e-3);
  CHECK(contains(files.refused({.amari = {"x"}}),
                 "must name a posterior variable that is a square matrix"));
  const std::string part = files.csv("\"W[0,0]\",x[0]\n1,1\n");
  CHECK(contains(files.refused({.reference = part, .amari = {"W"}}), "lacks the element W[0,1]"));
}

TEST_CASE("what needs a reference says so") {
  const Pair files;
  const auto refused = [&](const SummaryOptions& options) {
    try {
      summary_json(summarise(DrawsFile(files.one.path()), 1, 1, options));
      return std::string("accepted");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
  };
  CHECK(contains(refused({.amari = {"W"}}), "--reference"));
  CHECK(contains(refused({.of = {"x"}}), "--reference"));
}
