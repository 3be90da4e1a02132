// The Monte Carlo error of effective sample sizes against their spread over many series.
// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

#include <mixwell/lab/diagnostics.hpp>
#include <mixwell/random.hpp>

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
namespace diagnostics = mixwell::diagnostics;

/// x_t = rho x_{t-1} + sqrt(1 - rho^2) z_t, started from its law: draws x chains.
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
