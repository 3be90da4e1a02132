// The order of draws and the scores of their ranks, against sorting by comparisons.
// SPDX-License-Identifier: Apache-2.0
#include "diagnostics/ranks.hpp"

#include <mixwell/lab/diagnostics.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

using namespace mixwell::diagnostics;
using Eigen::Index;
using Eigen::MatrixXd;

namespace {

/// Both signs, many sizes, ties, both zeros and both infinities.
MatrixXd awkward(Index rows, Index cols) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  MatrixXd x(rows, cols);
  for (double& value : x.reshaped()) {
    value = normal(random) * std::pow(10.0, double(random() % 20) - 10.0);
    if (random() % 4 == 0) value = std::round(value);
  }
  x(0, 0) = std::numeric_limits<double>::infinity();
  x(rows - 1, cols - 1) = -std::numeric_limits<double>::infinity();
  x(1, 0) = -0.0;
  return x;
}

std::vector<double> values_of(const std::vector<PlacedDraw>& order) {
  std::vector<double> values;
  for (const PlacedDraw& draw : order) values.push_back(draw.value);
  return values;
}

std::vector<double> sorted(const MatrixXd& x) {
  std::vector<double> values(x.data(), x.data() + x.size());
  std::sort(values.begin(), values.end());
  return values;
}

/// The average rank, counted.
double rank_in(const std::vector<double>& sorted, double value) {
  const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), value);
  return double((first - sorted.begin()) + (last - sorted.begin()) + 1) / 2;
}

}  // namespace

TEST_CASE("few and many draws come into the order that comparisons give") {
  for (const Index rows : {3, 500, 30000}) {
    const MatrixXd x = awkward(rows, 3);
    CHECK(values_of(in_order(x)) == sorted(x));
  }
}

TEST_CASE("draws in order have their places among the halves of the chains") {
  for (const Index rows : {2, 7, 8, 9001}) {
    const MatrixXd x = awkward(rows, 2);
    const Index half = rows / 2;
    Index wrong = 0;
    Index left_out = 0;
    for (const PlacedDraw& draw : in_order(x)) {
      if (draw.place < 0) {
        ++left_out;
        continue;
      }
      const Index column = draw.place / half;
      const Index t = draw.place % half + (column >= 2 ? rows - half : 0);
      wrong += x(t, column % 2) == draw.value ? 0 : 1;
    }
    CHECK(wrong == 0);
    CHECK(left_out == 2 * (rows % 2));
  }
}

TEST_CASE("NaN has no place in the order, and takes the scores of all") {
  MatrixXd x = awkward(10, 2);
  x(3, 1) = std::nan("");
  const std::vector<PlacedDraw> order = in_order(x);
  CHECK(order.size() == 19);
  const Halves halves(10, 2);
  CHECK(rank_normalised(order, NormalScores(20), halves).array().isNaN().all());
}

TEST_CASE("folded draws are the distances to the centre, in order") {
  MatrixXd x = awkward(6000, 1);
  for (const double centre : {0.0, -0.3, 1.0, 1e12, -1e12}) {
    const std::vector<PlacedDraw> distances = folded(in_order(x), centre);
    CHECK(values_of(distances) == sorted((x.array() - centre).abs()));
    const Halves halves(6000, 1);
    const MatrixXd columns = x.reshaped(halves.rows(), halves.cols());
    Index wrong = 0;
    for (const PlacedDraw& draw : distances)
      wrong += std::abs(columns.reshaped()(draw.place) - centre) == draw.value ? 0 : 1;
    CHECK(wrong == 0);
  }
}

TEST_CASE("scores are those of the average ranks, whole or not") {
  const MatrixXd x = awkward(3000, 1);
  const Halves halves(3000, 1);
  const NormalScores scores(3000);
  const MatrixXd found = rank_normalised(in_order(x), scores, halves);
  const std::vector<double> all = sorted(x);
  Index wrong = 0;
  for (Index k = 0; k < 3000; ++k)
    wrong += found.reshaped()(k) == scores.of(rank_in(all, x(k, 0))) ? 0 : 1;
  CHECK(wrong == 0);
  CHECK(scores.of(1500.5) == 0.0);
  CHECK(scores.of(1) == Approx(-scores.of(3000)).epsilon(1e-12));
}

TEST_CASE("the jackknife over replicates leaves out one group after another") {
  const MatrixXd x = awkward(101, 12).array().tanh();
  const Index replicates = 6;  // of two slots
  Eigen::VectorXd without(replicates);
  for (Index g = 0; g < replicates; ++g) {
    std::vector<Index> kept;
    for (Index c = 0; c < 12; ++c)
      if (c / 2 != g) kept.push_back(c);
    without(g) = 12.0 / 10.0 * ess_bulk(MatrixXd(x(Eigen::all, kept)));
  }
  const double spread = (without.array() - without.mean()).square().sum();
  CHECK(ess_bulk_mcse(x, replicates) == std::sqrt(5.0 / 6.0 * spread));
}
