// Effective sample sizes: autocovariances, the errors of estimates, and their text for readers.
// SPDX-License-Identifier: Apache-2.0
#include "app/text_layout.hpp"
#include "diagnostics/autocovariance.hpp"
#include "support.hpp"

#include <mixwell/base/random.hpp>
#include <mixwell/lab/diagnostics.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

namespace diagnostics = mixwell::diagnostics;
using Eigen::Index;
using Eigen::MatrixXd;
using mixwell::app::ess_text;
using namespace mixwell::diagnostics;
using namespace mixwell;

namespace {

/// Slow chains, less their means.
Eigen::MatrixXd deviations(Index draws, Index chains) {
  Eigen::MatrixXd x(draws, chains);
  Stream(7, "autocovariance").normals({}, x);
  for (Index i = 1; i < draws; ++i) x.row(i) += 0.9 * x.row(i - 1);
  x.rowwise() -= Eigen::RowVectorXd(x.colwise().mean());
  return x;
}

/// sum over columns and i of x_i x_{i + lag}, over the numbers of x.
double by_definition(const Eigen::MatrixXd& x, Index lag) {
  double sum = 0;
  for (Index c = 0; c < x.cols(); ++c)
    for (Index i = 0; i + lag < x.rows(); ++i) sum += x(i, c) * x(i + lag, c);
  return sum / static_cast<double>(x.size());
}

}  // namespace

TEST_CASE("autocovariances of any lag are those of the definition") {
  for (const Index chains : {1, 3, 4})
    for (const Index draws : {5, 33, 300}) {
      const Eigen::MatrixXd x = deviations(draws, chains);
      const double all = by_definition(x, 0);
      Fourier fourier;
      Autocovariances each(x, fourier);
      const Eigen::VectorXd together =
          mean_autocovariance(x, Eigen::VectorXd::Zero(chains), fourier);
      for (Index lag = 0; lag < draws; ++lag) {
        INFO(chains << " chains of " << draws << ", lag " << lag);
        const double expected = by_definition(x, lag);
        CHECK(std::abs(each.at(lag) - expected) < 1e-13 * all);
        CHECK(std::abs(together[lag] - expected) < 1e-13 * all);
      }
    }
}

namespace {

/// x_t = rho x_{t-1} + sqrt(1 - rho^2) z_t, started from its stationary distribution: draws x
/// chains.
MatrixXd autoregression(double rho, Index draws, Index chains, std::uint64_t seed) {
  MatrixXd x(draws, chains);
  mixwell::Stream(seed, "ar").normals({}, x);
  for (Index t = 1; t < draws; ++t)
    x.row(t) = rho * x.row(t - 1) + std::sqrt(1 - rho * rho) * x.row(t);
  return x;
}

}  // namespace

TEST_CASE("the error of ess_bulk is its spread over independent series", "[ess][nightly]") {
  const Index chains = GENERATE(1, 2, 4, 16, 40);
  const double rho = 0.7;
  const int series = 200;
  Eigen::ArrayXd ess(series), error(series);
  for (int k = 0; k < series; ++k) {
    const MatrixXd x =
        autoregression(rho, 4000 / chains + 400, chains, static_cast<std::uint64_t>(k));
    ess(k) = diagnostics::ess_bulk(x);
    error(k) = diagnostics::ess_bulk_mcse(x, chains);
  }
  const double spread = std::sqrt((ess - ess.mean()).square().sum() / (series - 1));
  const double typical = std::sqrt(error.square().mean());
  INFO("chains " << chains << ": spread " << spread << ", error " << typical);
  CHECK(typical > 0.75 * spread);
  CHECK(typical < 1.6 * spread);
}

TEST_CASE("too short a series has no error of its ess", "[ess]") {
  CHECK(std::isnan(diagnostics::ess_bulk_mcse(autoregression(0.5, 300, 2, 1), 2)));
  CHECK(std::isfinite(diagnostics::ess_bulk_mcse(autoregression(0.5, 300, 8, 1), 4)));
}

TEST_CASE("an effective sample size comes with its interval, or says that it is rough") {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  CHECK(ess_text(4009.0, 540.0) == "4009 (3079 to 5220)");
  CHECK(ess_text(34.0, 732.0) == "34 (rough)");
  CHECK(ess_text(34.0, none) == "34");
  CHECK(ess_text(none, none) == "-");
}
