// Monte Carlo error of an effective sample size.
// SPDX-License-Identifier: Apache-2.0
#include "base/not_available.hpp"
#include "diagnostics/ranks.hpp"

#include <mixwell/base/machine.hpp>
#include <mixwell/lab/diagnostics.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <vector>

namespace mixwell::diagnostics {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index most_groups = 20;
constexpr Index pieces = 8;
constexpr Index shortest_piece = 50;

/// The new index of each chain after a group of replicates is left out. -1 for a chain of that
/// group.
struct Left {
  std::vector<Index> number;
  Index count = 0;
};

Left left_without(Index group, Index groups, Index chains, Index slots) {
  Left left{std::vector<Index>(static_cast<std::size_t>(chains), -1), 0};
  for (Index c = 0; c < chains; ++c)
    if (c / slots % groups != group) left.number[static_cast<std::size_t>(c)] = left.count++;
  return left;
}

/// The ordered draws without the chains that are left out. Each draw gets its new place.
std::vector<PlacedDraw> order_of(const std::vector<PlacedDraw>& order, const Left& left,
                                 const Halves& halves) {
  const Index chains = std::ssize(left.number);
  std::vector<PlacedDraw> kept;
  for (const PlacedDraw& draw : order) {
    if (draw.place < 0) continue;
    const Index column = draw.place / halves.rows();
    const Index number = left.number[static_cast<std::size_t>(column % chains)];
    const Index to = number + column / chains * left.count;
    if (number >= 0) kept.push_back({draw.value, to * halves.rows() + draw.place % halves.rows()});
  }
  return kept;
}

/// Monte Carlo error by the jackknife over groups of replicates. Sorts the draws only once for all
/// groups.
double jackknife(const Draws& draws, Index replicates, Index together) {
  const Index slots = draws.cols() / replicates;
  const Index groups = std::min(replicates, most_groups);
  const std::vector<PlacedDraw> order = in_order(draws);
  const Halves halves(draws.rows(), draws.cols());
  std::map<Index, NormalScores> scores;  // key: number of remaining chains; has one or two entries
  for (Index g = 0; g < groups; ++g) {
    const Index count = left_without(g, groups, draws.cols(), slots).count;
    scores.try_emplace(count, Halves(draws.rows(), count).size());
  }
  VectorXd without(groups);
  parallel_for(groups, [&](Index g) {
    const Left left = left_without(g, groups, draws.cols(), slots);
    const double scale = static_cast<double>(draws.cols()) / static_cast<double>(left.count);
    const MatrixXd normalised = rank_normalised(
        order_of(order, left, halves), scores.at(left.count), Halves(draws.rows(), left.count));
    Fourier fourier;
    without(g) = scale * split_ess(normalised, together, fourier);
  });
  const auto g = static_cast<double>(groups);
  return std::sqrt((g - 1.0) / g * (without.array() - without.mean()).square().sum());
}

double by_pieces(const Draws& draws, Index together) {
  const Index length = draws.rows() / pieces;
  if (length < shortest_piece) return not_available;
  VectorXd ess(pieces);
  parallel_for(pieces, [&](Index k) {
    ess(k) = ess_bulk(MatrixXd(draws.middleRows(k * length, length)), together);
  });
  return std::sqrt((ess.array() - ess.mean()).square().sum() / (pieces - 1.0) * pieces);
}

}  // namespace

double ess_bulk_mcse(const Draws& draws, Index replicates, Index together) {
  const bool whole = replicates > 0 && draws.cols() % replicates == 0;
  return whole && replicates >= 4 ? jackknife(draws, replicates, together)
                                  : by_pieces(draws, together);
}

}  // namespace mixwell::diagnostics
