// Random streams: the generator against Random123, the distribution of the numbers, and their
// addresses.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/base/random.hpp>

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif

#include <Random123/threefry.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Eigen::ArrayXd;
using Eigen::MatrixXd;
using mixwell::Address;
using mixwell::Index;
using mixwell::Stream;
using WordMatrix = Eigen::Matrix<std::uint64_t, Eigen::Dynamic, Eigen::Dynamic>;

// Every test below computes fixed numbers from fixed seeds; for a fresh seed a |z| above this bound
// has probability 6e-5, so that all of them together would fail once in about 500 seeds.
constexpr double bound = 4.0;

MatrixXd normals(const Stream& stream, Address at, Index rows, Index columns) {
  MatrixXd out(rows, columns);
  stream.normals(at, out);
  return out;
}

MatrixXd uniforms(const Stream& stream, Address at, Index rows, Index columns) {
  MatrixXd out(rows, columns);
  stream.uniforms(at, out);
  return out;
}

WordMatrix words(const Stream& stream, Address at, Index rows, Index columns) {
  WordMatrix out(rows, columns);
  stream.words(at, out);
  return out;
}

// The documented address of rows 2k and 2k+1 of one replicate, evaluated by Random123 itself.
threefry2x64_ctr_t reference(std::uint64_t seed, const std::string& role, Address at, Index k) {
  const threefry2x64_key_t key = {{seed, mixwell::hash_role(role)}};
  const threefry2x64_ctr_t counter = {
      {at.sweep << 24 | at.draw, at.replicate << 36 | static_cast<std::uint64_t>(k)}};
  return threefry2x64(counter, key);
}

Index differences_from_reference(std::uint64_t seed, Address at, Index rows, Index columns) {
  const std::string role = "role " + std::to_string(seed % 7);
  const WordMatrix mine = words(Stream(seed, role), at, rows, columns);
  Index different = 0;
  for (Index j = 0; j < columns; ++j) {
    for (Index i = 0; i < rows; ++i) {
      const Address here{at.sweep, at.draw, at.replicate + static_cast<std::uint64_t>(j)};
      different += mine(i, j) != reference(seed, role, here, i / 2).v[i % 2];
    }
  }
  return different;
}

double largest(const std::vector<double>& z) {
  double worst = 0;
  for (const double value : z) worst = std::max(worst, std::abs(value));
  return worst;
}

// z-scores of the first four moments about their values for N(0,1): variances 1, 2, 15, 96.
std::vector<double> normal_moments(const ArrayXd& x) {
  const double root_n = std::sqrt(static_cast<double>(x.size()));
  const ArrayXd square = x.square();
  return {x.mean() * root_n, (square.mean() - 1) * root_n / std::sqrt(2.0),
          (square * x).mean() * root_n / std::sqrt(15.0),
          (square.square().mean() - 3) * root_n / std::sqrt(96.0)};
}

// The same for U(-1/2, 1/2): E x^2 = 1/12, E x^4 = 1/80, E x^6 = 1/448, E x^8 = 1/2304.
std::vector<double> uniform_moments(const ArrayXd& u) {
  const double root_n = std::sqrt(static_cast<double>(u.size()));
  const ArrayXd x = u - 0.5;
  const ArrayXd square = x.square();
  return {x.mean() * root_n / std::sqrt(1.0 / 12),
          (square.mean() - 1.0 / 12) * root_n / std::sqrt(1.0 / 80 - 1.0 / 144),
          (square * x).mean() * root_n / std::sqrt(1.0 / 448),
          (square.square().mean() - 1.0 / 80) * root_n / std::sqrt(1.0 / 2304 - 1.0 / 6400)};
}

// sqrt(n) times the Kolmogorov distance of numbers that should be uniform.
double kolmogorov(std::vector<double> u) {
  std::sort(u.begin(), u.end());
  const auto n = static_cast<double>(u.size());
  double distance = 0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    const auto below = static_cast<double>(i);
    distance = std::max({distance, u[i] - below / n, (below + 1) / n - u[i]});
  }
  return distance * std::sqrt(n);
}
constexpr double kolmogorov_bound = 2.30;  // exceeded with probability 5e-5

double correlation_z(const ArrayXd& x, const ArrayXd& y) {
  return (x * y).sum() / std::sqrt((x.square() * y.square()).sum());
}

double lag_z(const ArrayXd& x, Index lag) {
  return correlation_z(x.head(x.size() - lag), x.tail(x.size() - lag));
}

double tail_z(const ArrayXd& x, double threshold) {
  const auto n = static_cast<double>(x.size());
  const double p = std::erfc(threshold / std::numbers::sqrt2);
  return (static_cast<double>((x.abs() > threshold).count()) - n * p) / std::sqrt(n * p * (1 - p));
}

std::string refusal(Address at, Index columns) {
  try {
    normals(Stream(26, "limits"), at, 2, columns);
    return "none";
  } catch (const std::out_of_range& error) {
    return error.what();
  }
}

double ulps(double value, long double exact) {
  const double rounded = std::abs(static_cast<double>(exact));
  const double unit = std::nextafter(rounded, std::numeric_limits<double>::infinity()) - rounded;
  return std::abs(static_cast<double>((static_cast<long double>(value) - exact) / unit));
}

// Largest error of sine and cosine of eight turns, in units in the last place.
double turn_error(const mixwell::detail::Lanes& t) {
  mixwell::detail::Lanes sine;
  mixwell::detail::Lanes cosine;
  mixwell::detail::sin_cos_turns(t, sine, cosine);
  double worst = 0;
  for (int l = 0; l < 8; ++l) {
    // Exact reduction to |angle| <= pi/4 first: the rounding of 2 pi t would swamp a small sine.
    const long double quarters = std::nearbyint(4.0L * t[l]);
    const long double angle = (4.0L * t[l] - quarters) * std::numbers::pi_v<long double> / 2;
    const long double s = std::sin(angle);
    const long double c = std::cos(angle);
    const int q = static_cast<int>(quarters) % 4;
    const long double sines[] = {s, c, -s, -c};
    worst = std::max({worst, ulps(sine[l], sines[q]), ulps(cosine[l], sines[(q + 1) % 4])});
  }
  return worst;
}

}  // namespace

TEST_CASE("random words are those of Random123 at the documented counters", "[random]") {
  std::mt19937_64 choose(20240601);
  Index different = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const std::uint64_t replicate = std::min(choose() >> 36, (std::uint64_t{1} << 28) - 19);
    const Address at{choose() >> 24, static_cast<std::uint32_t>(choose() >> 40), replicate};
    const auto rows = static_cast<Index>(choose() % 41) + 1;
    const auto columns = static_cast<Index>(choose() % 19) + 1;
    different += differences_from_reference(choose(), at, rows, columns);
  }
  CHECK(different == 0);
}

TEST_CASE("the comparison with Random123 notices a neighbouring counter", "[random]") {
  const WordMatrix mine = words(Stream(1, "a"), {5, 6, 7}, 2, 1);
  CHECK(mine(0, 0) == reference(1, "a", {5, 6, 7}, 0).v[0]);
  CHECK(mine(0, 0) != reference(1, "a", {5, 6, 8}, 0).v[0]);
  CHECK(mine(0, 0) != reference(1, "a", {5, 7, 7}, 0).v[0]);
  CHECK(mine(0, 0) != reference(1, "a", {5, 6, 7}, 1).v[0]);
}

TEST_CASE("the hash of a role never changes", "[random]") {
  CHECK(mixwell::hash_role("") == 0xF52A15E9A9B5E89BU);
  CHECK(mixwell::hash_role("main/hmc/momentum") == 0x4BFA6AB759BEE220U);
}

TEST_CASE("normals are the Box-Muller transform of the uniforms of the same rows", "[random]") {
  const Stream stream(3, "transform");
  const MatrixXd u = uniforms(stream, {}, 2000, 5);
  const MatrixXd z = normals(stream, {}, 2000, 5);
  double worst = 0;
  for (Index j = 0; j < u.cols(); ++j) {
    for (Index i = 0; i < u.rows(); i += 2) {
      const long double radius = std::sqrt(-2 * std::log(static_cast<long double>(u(i, j))));
      const long double angle = 2 * std::numbers::pi_v<long double> * u(i + 1, j);
      worst = std::max({worst, ulps(z(i, j), radius * std::cos(angle)),
                        ulps(z(i + 1, j), radius * std::sin(angle))});
    }
  }
  CHECK(worst < 4.0);
}

TEST_CASE("sine and cosine of turns are accurate to two units in the last place", "[random]") {
  std::mt19937_64 choose(7);
  double worst = 0;
  for (int trial = 0; trial < 50000; ++trial) {
    mixwell::detail::Lanes t;
    for (double& value : t) value = std::ldexp(static_cast<double>(choose() >> 11), -53);
    worst = std::max(worst, turn_error(t));
  }
  CHECK(worst < 2.0);
}

TEST_CASE("sine and cosine stay accurate next to every eighth of a turn", "[random]") {
  double worst = 0;
  for (int eighth = 0; eighth <= 8; ++eighth) {
    for (int exponent = 4; exponent <= 53; ++exponent) {
      const double step = std::ldexp(1.0, -exponent);
      mixwell::detail::Lanes t;
      for (int l = 0; l < 8; ++l) t[l] = std::clamp(eighth / 8.0 + (l - 4) * step, 0.0, 1.0);
      worst = std::max(worst, turn_error(t));
    }
  }
  CHECK(worst < 2.0);
}

TEST_CASE("sine and cosine are exact at quarters of a turn", "[random]") {
  mixwell::detail::Lanes t;
  t << 0, 0.25, 0.5, 0.75, 1, 0, 0, 0;
  mixwell::detail::Lanes sine;
  mixwell::detail::Lanes cosine;
  mixwell::detail::sin_cos_turns(t, sine, cosine);
  const double expected[] = {0, 1, 0, -1, 0, 1};
  for (int l = 0; l < 5; ++l) {
    CHECK(sine[l] == expected[l]);
    CHECK(cosine[l] == expected[l + 1]);
  }
}

TEST_CASE("uniforms are odd multiples of 2^-53 strictly between 0 and 1", "[random]") {
  const ArrayXd u = uniforms(Stream(5, "open"), {}, 1000, 1000).reshaped().array();
  CHECK(u.minCoeff() > 0);
  CHECK(u.maxCoeff() < 1);
  const ArrayXd halves = (u * 0x1p53 - 1) / 2;
  CHECK((halves == halves.floor()).all());
}

TEST_CASE("normals have the moments, tails and distribution function of N(0,1)", "[random]") {
  const MatrixXd z = normals(Stream(11, "law"), {3, 1, 40}, 50, 40000);
  const ArrayXd all = z.reshaped().array();
  CHECK(largest(normal_moments(all)) < bound);
  for (const Index row : {0, 1, 48, 49}) {
    CHECK(largest(normal_moments(z.row(row).transpose().array())) < bound);
  }
  CHECK(std::abs(tail_z(all, 2)) < bound);
  CHECK(std::abs(tail_z(all, 3)) < bound);
  CHECK(std::abs(tail_z(all, 4)) < bound);
  std::vector<double> probabilities;
  for (const double x : all) probabilities.push_back(std::erfc(-x / std::numbers::sqrt2) / 2);
  CHECK(kolmogorov(probabilities) < kolmogorov_bound);
}

TEST_CASE("the tests of the normal law reject normals scaled by one per cent", "[random]") {
  const ArrayXd z = 1.01 * normals(Stream(11, "law"), {3, 1, 40}, 50, 40000).reshaped().array();
  CHECK(largest(normal_moments(z)) > bound);
  CHECK(std::abs(tail_z(z, 3)) > bound);
}

TEST_CASE("uniforms have the moments and distribution function of U(0,1)", "[random]") {
  const MatrixXd u = uniforms(Stream(12, "law"), {}, 3, 300000);
  CHECK(largest(uniform_moments(u.reshaped().array())) < bound);
  for (Index row = 0; row < 3; ++row) {
    CHECK(largest(uniform_moments(u.row(row).transpose().array())) < bound);
  }
  CHECK(kolmogorov({u.data(), u.data() + u.size()}) < kolmogorov_bound);
}

TEST_CASE("normals and their squares are uncorrelated along and across columns", "[random]") {
  const Stream stream(13, "independence");
  const MatrixXd z = normals(stream, {}, 20, 50000);
  const ArrayXd down = z.reshaped().array();
  const ArrayXd across = z.transpose().reshaped().array();
  std::vector<double> scores;
  for (const Index lag : {1, 2, 3, 4, 8, 16}) {
    scores.push_back(lag_z(down, lag));
    scores.push_back(lag_z(across, lag));
    scores.push_back(lag_z(down.square() - 1, lag));
    scores.push_back(lag_z(across.square() - 1, lag));
  }
  CHECK(largest(scores) < bound);
}

TEST_CASE("one column over successive sweeps is a sequence of independent normals", "[random]") {
  const Stream stream(14, "time");
  ArrayXd x(400000);
  for (Index i = 0; i < x.size(); ++i) {
    x[i] = normals(stream, {static_cast<std::uint64_t>(i), 0, 2}, 1, 1)(0, 0);
  }
  CHECK(largest(normal_moments(x)) < bound);
  CHECK(largest({lag_z(x, 1), lag_z(x, 2), lag_z(x, 7), lag_z(x.square() - 1, 1)}) < bound);
}

TEST_CASE("different seeds, roles, sweeps, draws and replicates give unrelated numbers",
          "[random]") {
  const ArrayXd base = normals(Stream(1, "a"), {1, 1, 0}, 1000, 100).reshaped().array();
  const MatrixXd others[] = {
      normals(Stream(2, "a"), {1, 1, 0}, 1000, 100), normals(Stream(1, "b"), {1, 1, 0}, 1000, 100),
      normals(Stream(1, "a"), {2, 1, 0}, 1000, 100), normals(Stream(1, "a"), {1, 2, 0}, 1000, 100),
      normals(Stream(1, "a"), {1, 1, 100}, 1000, 100)};
  for (const MatrixXd& other : others) {
    const ArrayXd y = other.reshaped().array();
    CHECK((base == y).count() == 0);
    CHECK(std::abs(correlation_z(base, y)) < bound);
    CHECK(std::abs(correlation_z(base.square() - 1, y.square() - 1)) < bound);
  }
}

TEST_CASE("an element does not depend on the width or the offset of its batch", "[random]") {
  const Stream stream(21, "blocks");
  for (const Index rows : {1, 2, 3, 5, 16, 25}) {
    const MatrixXd wide = normals(stream, {9, 2, 0}, rows, 37);
    CHECK(wide.middleCols(3, 5) == normals(stream, {9, 2, 3}, rows, 5));
    for (Index j = 0; j < wide.cols(); ++j) {
      CHECK(wide.col(j) == normals(stream, {9, 2, static_cast<std::uint64_t>(j)}, rows, 1));
    }
    const MatrixXd flat = uniforms(stream, {9, 2, 0}, rows, 37);
    CHECK(flat.middleCols(3, 5) == uniforms(stream, {9, 2, 3}, rows, 5));
  }
}

TEST_CASE("an element does not depend on the number of rows below it", "[random]") {
  const Stream stream(22, "rows");
  const MatrixXd tall = normals(stream, {}, 40, 6);
  for (Index rows = 1; rows < 40; ++rows) CHECK(tall.topRows(rows) == normals(stream, {}, rows, 6));
}

TEST_CASE("a block of a larger matrix is filled and nothing beside it is touched", "[random]") {
  const Stream stream(23, "view");
  for (const Index rows : {3, 4}) {
    MatrixXd canvas = MatrixXd::Constant(8, 12, 99.0);
    stream.normals({}, canvas.block(2, 1, rows, 10));
    CHECK(canvas.block(2, 1, rows, 10) == normals(stream, {}, rows, 10));
    CHECK((canvas.array() == 99.0).count() == 8 * 12 - rows * 10);
  }
}

TEST_CASE("a row vector is a batch of one row", "[random]") {
  const Stream stream(24, "row");
  Eigen::RowVectorXd row(13);
  stream.uniforms({}, row);
  CHECK(row == uniforms(stream, {}, 1, 13));
}

TEST_CASE("an empty batch is left alone", "[random]") {
  const Stream stream(25, "empty");
  CHECK(normals(stream, {}, 0, 4).size() == 0);
  CHECK(normals(stream, {}, 4, 0).size() == 0);
}

TEST_CASE("draws beyond the counter's limits are refused by name", "[random]") {
  const auto sweep = std::uint64_t{1} << 40;
  const auto draw = std::uint32_t{1} << 24;
  const auto replicate = std::uint64_t{1} << 28;
  CHECK(refusal({sweep - 1, draw - 1, replicate - 3}, 3) == "none");
  CHECK(refusal({sweep, 0, 0}, 3).find("sweep 1099511627776 ") != std::string::npos);
  CHECK(refusal({0, draw, 0}, 3).find("draw 16777216 ") != std::string::npos);
  CHECK(refusal({0, 0, replicate - 3}, 4).find("replicate 268435456 ") != std::string::npos);
}
