// Autocovariances against their definition, on both sides of where the transform takes over.
// SPDX-License-Identifier: Apache-2.0
#include "diagnostics/autocovariance.hpp"

#include <mixwell/random.hpp>

#include <catch2/catch.hpp>

#include <cmath>

using namespace mixwell;
using namespace mixwell::diagnostics;

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
