// Arrays of draws of every awkward kind, each with Mixwell's figures, as text that R reads exactly.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/lab/diagnostics.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

// One line per array, fields separated by tabs: name, draws, chains, the draws (chain after chain,
// separated by blanks), an offset that can be taken off them without rounding, then KEY=VALUE for
// each figure. Numbers are hexadecimal, which R reads to
// the last bit (its decimal reader rounds twice).
//
// With the name of a mutant as argument some figures are slightly wrong, which a comparison must
// find:
//   unsplit    R-hat and effective sample sizes of whole chains (where their number is even)
//   divisor-n  standard deviation and Monte Carlo error of the mean with divisor n
//   type-6     quantiles at rank (n + 1) p instead of 1 + (n - 1) p
//   nearly     all figures times 1 + 3e-10
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
namespace diagnostics = mixwell::diagnostics;

constexpr double infinity = std::numeric_limits<double>::infinity();

using Random = std::mt19937_64;

double normal(Random& random) { return std::normal_distribution<double>()(random); }

MatrixXd white(Index draws, Index chains, Random& random) {
  return MatrixXd::NullaryExpr(draws, chains, [&] { return normal(random); });
}

/// Stationary, unit variance.
MatrixXd ar1(Index draws, Index chains, double phi, Random& random) {
  MatrixXd x = white(draws, chains, random);
  for (Index i = 1; i < draws; ++i)
    x.row(i) = phi * x.row(i - 1) + std::sqrt(1 - phi * phi) * x.row(i);
  return x;
}

using Family = std::function<MatrixXd(Index draws, Index chains, Random& random)>;

Family autoregressive(double phi) {
  return [phi](Index n, Index m, Random& random) { return ar1(n, m, phi, random); };
}

/// White noise after f(x).
Family changed(std::function<MatrixXd(const MatrixXd&)> f) {
  return [f](Index n, Index m, Random& random) { return f(white(n, m, random)); };
}

Family with_one(double value) {
  return changed([value](MatrixXd x) {
    x(x.rows() / 2, x.cols() - 1) = value;
    return x;
  });
}

MatrixXd elsewhere(MatrixXd x) {
  for (Index c = 0; c < x.cols(); ++c) x.col(c).array() += 0.5 * static_cast<double>(c);
  return x;
}

MatrixXd wider(MatrixXd x) {
  x.col(0) *= 7;
  return x;
}

MatrixXd one_stuck(MatrixXd x) {
  x.col(x.cols() - 1).setConstant(0.25);
  return x;
}

MatrixXd alternating(MatrixXd x) {
  for (Index i = 0; i < x.rows(); ++i) x.row(i).array() += i % 2 == 0 ? -3 : 3;
  return x;
}

MatrixXd trend(MatrixXd x) {
  for (Index i = 0; i < x.rows(); ++i) x.row(i).array() += 0.05 * static_cast<double>(i);
  return x;
}

constexpr double offset = 0x1p20;

MatrixXd far_off(const MatrixXd& x) { return (x * 0x1p20).array().round() * 0x1p-20 + offset; }

const std::vector<std::pair<std::string, Family>>& families() {
  static const std::vector<std::pair<std::string, Family>> all = {
      {"white noise", white},
      {"AR(1) 0.5", autoregressive(0.5)},
      {"AR(1) 0.95", autoregressive(0.95)},
      {"AR(1) 0.999", autoregressive(0.999)},
      {"antithetic -0.5", autoregressive(-0.5)},
      {"antithetic -0.95", autoregressive(-0.95)},
      {"alternating", changed(alternating)},
      {"trend", changed(trend)},
      {"heavy-tailed", changed([](const MatrixXd& x) -> MatrixXd { return x.array().tan() * 9; })},
      {"ties", changed([](const MatrixXd& x) -> MatrixXd { return (2 * x).array().floor(); })},
      {"integers",
       changed([](const MatrixXd& x) -> MatrixXd { return (x * 1e4).array().round(); })},
      {"zeros and ones",
       changed([](const MatrixXd& x) -> MatrixXd { return (x.array() > 0).cast<double>(); })},
      {"means differ", changed(elsewhere)},
      {"one wider", changed(wider)},
      {"one stuck", changed(one_stuck)},
      {"constant", changed([](const MatrixXd& x) -> MatrixXd { return 0 * x.array() + 0.1; })},
      {"one NaN", with_one(std::nan(""))},
      {"one infinite", with_one(infinity)},
      {"one minus infinite", with_one(-infinity)},
      {"tiny", changed([](const MatrixXd& x) -> MatrixXd { return x * 1e-12; })},
      {"below the constant", changed([](const MatrixXd& x) -> MatrixXd { return x * 1e-150; })},
      {"huge", changed([](const MatrixXd& x) -> MatrixXd { return x * 1e60; })},
      {"far off", changed(far_off)}};
  return all;
}

constexpr std::pair<Index, Index> shapes[] = {
    {1, 1},   {1, 4},  {2, 1},   {2, 3},   {3, 2},   {4, 1},   {4, 4},  {5, 2},
    {6, 1},   {6, 3},  {7, 1},   {8, 2},   {9, 4},   {10, 1},  {11, 2}, {12, 1},
    {13, 3},  {16, 2}, {25, 4},  {31, 1},  {50, 2},  {64, 8},  {99, 3}, {100, 4},
    {101, 1}, {67, 3}, {201, 1}, {30, 40}, {257, 5}, {1000, 4}};

using Figures = std::vector<std::pair<std::string, double>>;

Figures figures(const MatrixXd& x) {
  const diagnostics::StandardFigures s = diagnostics::summarise(x);
  Figures all = {{"mean", s.mean},
                 {"sd", s.sd},
                 {"mcse_mean", s.mcse_mean},
                 {"mcse_sd", s.mcse_sd},
                 {"q5", s.q5},
                 {"q50", s.q50},
                 {"q95", s.q95},
                 {"rhat", s.rhat},
                 {"ess_bulk", s.ess_bulk},
                 {"ess_tail", s.ess_tail},
                 {"ess_mean", diagnostics::ess_mean(x)}};
  for (const double p : {0.0, 0.05, 0.1, 0.5, 0.9, 0.95, 1.0})
    all.emplace_back("mcse_q" + std::to_string(std::lround(100 * p)),
                     diagnostics::mcse_quantile(x, p));
  const Eigen::VectorXd ebfmi = diagnostics::ebfmi(x);
  for (Index c = 0; c < x.cols(); ++c) all.emplace_back("ebfmi" + std::to_string(c + 1), ebfmi[c]);
  return all;
}

/// Two chains after each other: their halves are what whole chains were.
MatrixXd joined(const MatrixXd& x) { return x.reshaped(2 * x.rows(), x.cols() / 2); }

double type_6(const MatrixXd& x, double p) {
  std::vector<double> sorted(x.reshaped().begin(), x.reshaped().end());
  std::sort(sorted.begin(), sorted.end());
  const double n = static_cast<double>(x.size());
  const double rank = std::clamp((n + 1) * p, 1.0, n);
  const double low = sorted[static_cast<std::size_t>(rank) - 1];
  const double high = sorted[static_cast<std::size_t>(std::ceil(rank)) - 1];
  return low + (rank - std::floor(rank)) * (high - low);
}

void spoil(const std::string& mutant, const std::string& key, const MatrixXd& x, double& value) {
  const double n = static_cast<double>(x.size());
  if (mutant == "nearly") value *= 1 + 3e-10;
  if (mutant == "divisor-n" && (key == "sd" || key == "mcse_mean")) value *= std::sqrt((n - 1) / n);
  if (mutant == "type-6" && key == "q5") value = type_6(x, 0.05);
  if (mutant == "type-6" && key == "q50") value = type_6(x, 0.5);
  if (mutant == "type-6" && key == "q95") value = type_6(x, 0.95);
  if (mutant != "unsplit" || x.cols() % 2 != 0) return;
  if (key == "rhat") value = diagnostics::rhat(joined(x));
  if (key == "ess_bulk") value = diagnostics::ess_bulk(joined(x));
  if (key == "ess_tail") value = diagnostics::ess_tail(joined(x));
  if (key == "ess_mean") value = diagnostics::ess_mean(joined(x));
}

void print(double value) {
  if (std::isnan(value))
    std::printf("NaN");
  else if (std::isinf(value))
    std::printf(value > 0 ? "Inf" : "-Inf");
  else
    std::printf("%a", value);
}

void print(const std::string& name, const MatrixXd& x, const Figures& all) {
  std::printf("%s\t%td\t%td\t", name.c_str(), x.rows(), x.cols());
  for (Index i = 0; i < x.size(); ++i) {
    if (i > 0) std::printf(" ");
    print(x.data()[i]);
  }
  std::printf("\t");
  print(name == "far off" ? offset : 0);
  for (const auto& [key, value] : all) {
    std::printf("\t%s=", key.c_str());
    print(value);
  }
  std::printf("\n");
}

}  // namespace

int main(int count, char** arguments) {
  const std::string mutant = count > 1 ? arguments[1] : "";
  std::uint64_t seed = 0;
  for (const auto& [name, family] : families())
    for (const auto& [draws, chains] : shapes) {
      Random random(++seed);
      const MatrixXd x = family(draws, chains, random);
      Figures all = figures(x);
      for (auto& [key, value] : all) spoil(mutant, key, x, value);
      print(name, x, all);
    }
}
