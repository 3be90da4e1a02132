// Principal directions of draws, and directions from a file.
// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/lab/directions.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <map>
#include <random>

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using namespace mixwell::diagnostics;
using support::TemporaryFolder;

MatrixXd white(Index draws, Index coordinates, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  return MatrixXd::NullaryExpr(draws, coordinates, [&] { return normal(random); });
}

/// Of six: a; x, three with the first called Ulm; b, two.
const std::map<std::string, std::vector<Index>> coordinates = {
    {"a", {0}},    {"x", {1, 2, 3}},  {"x[0]", {1}}, {"x[Ulm]", {1}}, {"x[1]", {2}},
    {"x[2]", {3}}, {"x[1:]", {2, 3}}, {"b", {4, 5}}, {"b[0,0]", {4}}, {"b[0,1]", {5}}};

std::vector<Index> called(const std::string& name) {
  const auto found = coordinates.find(name);
  if (found == coordinates.end()) throw mixwell::InputError("no coordinate \"" + name + "\"");
  return found->second;
}

GivenDirections read(const std::string& text) {
  const TemporaryFolder folder;
  return read_directions(folder.file("d.csv", text), 6, called);
}

std::string refused(const std::string& text) {
  try {
    read(text);
    return "accepted";
  } catch (const mixwell::InputError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("Principal directions diagonalise the covariance, largest variance first") {
  const MatrixXd x = white(400, 12, 1) * white(12, 12, 2);
  const PrincipalDirections p = principal_directions(x);
  REQUIRE(p.vectors.cols() == 12);
  CHECK(p.degenerate == 0);
  CHECK((p.vectors.transpose() * p.vectors - MatrixXd::Identity(12, 12)).norm() < 1e-12);
  for (Index k = 0; k < 12; ++k) {
    CHECK(std::abs(std::pow(sd(x * p.vectors.col(k)), 2) / p.variances[k] - 1) < 1e-9);
    CHECK((k == 0 || p.variances[k] <= p.variances[k - 1]));
    CHECK(p.vectors.col(k).maxCoeff() == p.vectors.col(k).cwiseAbs().maxCoeff());
    for (Index j = 0; j < k; ++j) {
      const VectorXd u = x * p.vectors.col(k);
      const VectorXd v = x * p.vectors.col(j);
      const double c = (u.array() - u.mean()).matrix().dot((v.array() - v.mean()).matrix()) / 399;
      CHECK(std::abs(c) < 1e-12 * p.variances[0]);
    }
  }
}

TEST_CASE("The slow combination of fast coordinates is found") {
  // Fast noise across (1, ..., 1), a slow AR(1) along it.
  MatrixXd x = white(4000, 5, 3);
  double slow = 0;
  for (Index i = 0; i < x.rows(); ++i) {
    slow = i % 1000 == 0 ? 0 : 0.995 * slow + 0.1 * x(i, 0);
    x.row(i).array() -= x.row(i).mean();
    x.row(i).array() += 0.8 * slow;
  }
  const PrincipalDirections p = principal_directions(x);
  double smallest = HUGE_VAL;
  Index worst = -1;
  for (Index k = 0; k < p.vectors.cols(); ++k) {
    const double ess = ess_bulk((x * p.vectors.col(k)).reshaped(1000, 4));
    if (ess < smallest) worst = k;
    smallest = std::min(smallest, ess);
  }
  for (Index k = 0; k < 5; ++k) CHECK(smallest < 0.7 * ess_bulk(x.col(k).reshaped(1000, 4)));
  CHECK(p.vectors.col(worst).sum() / std::sqrt(5.0) > 0.95);  // cosine of the angle
}

TEST_CASE("Directions without variance are left out and counted") {
  MatrixXd x = white(300, 4, 4);
  x.col(3) = x.col(0) + 2 * x.col(1);
  CHECK(principal_directions(x).degenerate == 1);
  CHECK(principal_directions(white(5, 9, 5)).degenerate == 5);
}

TEST_CASE("A file gives directions of unit length by elements and by whole arrays") {
  const GivenDirections d = read("name,x,\"b[0,1]\",a\nfirst,1,0,0\nsecond,0,-3,4\n");
  CHECK(d.names == std::vector<std::string>{"first", "second"});
  REQUIRE(d.vectors.rows() == 6);
  const double third = 1 / std::sqrt(3.0);
  CHECK((d.vectors.col(0) - (VectorXd(6) << 0, third, third, third, 0, 0).finished()).norm() <
        1e-15);
  CHECK((d.vectors.col(1) - (VectorXd(6) << 0.8, 0, 0, 0, 0, -0.6).finished()).norm() < 1e-15);
}

TEST_CASE("An element's own column overrides that of its array, in any order") {
  for (const char* text : {"x,x[1]\n1,0\n", "x[1],x\n0,1\n"}) {
    const GivenDirections d = read(text);
    CHECK(d.names == std::vector<std::string>{"direction[0]"});
    CHECK(d.vectors(2, 0) == 0);
    CHECK(d.vectors(1, 0) == d.vectors(3, 0));
    CHECK(d.vectors(1, 0) > 0.7);
  }
}

TEST_CASE("A slice's column is between that of the array and that of an element") {
  for (const char* text : {"x,x[1:],x[2]\n1,2,3\n", "x[2],x[1:],x\n3,2,1\n"}) {
    const GivenDirections d = read(text);
    CHECK(d.vectors(2, 0) / d.vectors(1, 0) == Approx(2));
    CHECK(d.vectors(3, 0) / d.vectors(1, 0) == Approx(3));
  }
}

TEST_CASE("A wrong file of directions is refused with file, line and cure") {
  using support::contains;
  CHECK(contains(refused("y\n1\n"), "d.csv: no coordinate \"y\""));
  CHECK(contains(refused("x[Ulm],x[0]\n1,1\n"),
                 "d.csv: the columns \"x[Ulm]\" and \"x[0]\" name the same elements"));
  CHECK(contains(refused("x\n1\n0\n"), "d.csv:3: all weights are 0"));
  CHECK(contains(refused("x\none\n"), "\"one\" is not a finite number"));
  CHECK(contains(refused("name,x\np,1\np,2\n"), "d.csv:3: the name \"p\""));
  CHECK(contains(refused("name\np\n"), "d.csv:2: all weights are 0"));
}

TEST_CASE("Principal directions do not depend on a unit that all coordinates share") {
  const MatrixXd x = white(400, 5, 9) * white(5, 5, 10);
  const PrincipalDirections plain = principal_directions(x);
  const PrincipalDirections tiny = principal_directions(std::ldexp(1.0, -900) * x);
  CHECK(tiny.degenerate == 0);
  REQUIRE(tiny.vectors.cols() == 5);
  CHECK((tiny.vectors - plain.vectors).norm() < 1e-12);
}
