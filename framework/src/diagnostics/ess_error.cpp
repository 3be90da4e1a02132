// Monte Carlo error of an effective sample size.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/lab/diagnostics.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace mixwell::diagnostics {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double not_available = std::numeric_limits<double>::quiet_NaN();
constexpr Index most_groups = 20;
constexpr Index pieces = 8;
constexpr Index shortest_piece = 50;

double jackknife(const Draws& draws, Index replicates, Index together) {
  const Index slots = draws.cols() / replicates;
  const Index groups = std::min(replicates, most_groups);
  VectorXd without(groups);
  for (Index g = 0; g < groups; ++g) {
    std::vector<Index> kept;
    for (Index c = 0; c < draws.cols(); ++c) {
      if (c / slots % groups != g) kept.push_back(c);
    }
    const double scale = static_cast<double>(draws.cols()) / static_cast<double>(kept.size());
    without(g) = scale * ess_bulk(MatrixXd(draws(Eigen::all, kept)), together);
  }
  const auto g = static_cast<double>(groups);
  return std::sqrt((g - 1.0) / g * (without.array() - without.mean()).square().sum());
}

double by_pieces(const Draws& draws, Index together) {
  const Index length = draws.rows() / pieces;
  if (length < shortest_piece) return not_available;
  VectorXd ess(pieces);
  for (Index k = 0; k < pieces; ++k)
    ess(k) = ess_bulk(MatrixXd(draws.middleRows(k * length, length)), together);
  return std::sqrt((ess.array() - ess.mean()).square().sum() / (pieces - 1.0) * pieces);
}

}  // namespace

double ess_bulk_mcse(const Draws& draws, Index replicates, Index together) {
  const bool whole = replicates > 0 && draws.cols() % replicates == 0;
  return whole && replicates >= 4 ? jackknife(draws, replicates, together)
                                  : by_pieces(draws, together);
}

}  // namespace mixwell::diagnostics
