// Draws in ascending order, and the normal scores of their ranks.
// SPDX-License-Identifier: Apache-2.0
#include "diagnostics/ranks.hpp"

#include "base/not_available.hpp"

#include <mixwell/base/machine.hpp>

#include <boost/math/special_functions/erf.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>

namespace mixwell::diagnostics {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

using InDouble = boost::math::policies::policy<boost::math::policies::promote_double<false>>;

double normal_quantile(double p) {
  return -std::numbers::sqrt2 * boost::math::erfc_inv(2 * p, InDouble());
}

constexpr int digit_bits = 11;
constexpr int digits = 6;  ///< number of digits of a 64-bit number
constexpr std::uint64_t digit_values = std::uint64_t{1} << digit_bits;
/// Below this number of draws, sorting by comparisons is as fast.
constexpr std::size_t few = 2048;

using Counts = std::array<std::array<std::uint32_t, digit_values>, digits>;

/// Maps doubles to unsigned integers with the same order.
std::uint64_t key(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t sign = std::uint64_t{1} << 63;
  return (bits & sign) != 0 ? ~bits : bits | sign;
}

std::uint64_t digit(std::uint64_t key, int k) {
  return key >> (k * digit_bits) & (digit_values - 1);
}

std::vector<Counts> count_digits(const std::vector<PlacedDraw>& draws) {
  std::vector<Counts> counts(1);  // too large for a stack
  for (const PlacedDraw& draw : draws) {
    const std::uint64_t of = key(draw.value);
    for (int k = 0; k < digits; ++k) ++counts[0][static_cast<std::size_t>(k)][digit(of, k)];
  }
  return counts;
}

/// Radix sort, from the last digit to the first.
void sort_by_digits(std::vector<PlacedDraw>& draws) {
  const std::vector<Counts> counts = count_digits(draws);
  std::vector<PlacedDraw> other(draws.size());
  for (int k = 0; k < digits; ++k) {
    const auto& count = counts[0][static_cast<std::size_t>(k)];
    if (count[digit(key(draws.front().value), k)] == draws.size()) continue;  // all the same
    std::array<std::size_t, digit_values> next{};
    for (std::size_t v = 1; v < digit_values; ++v) next[v] = next[v - 1] + count[v - 1];
    for (const PlacedDraw& draw : draws) other[next[digit(key(draw.value), k)]++] = draw;
    draws.swap(other);
  }
}

}  // namespace

std::vector<PlacedDraw> in_order(const Eigen::Ref<const MatrixXd>& x) {
  std::vector<PlacedDraw> order;
  order.reserve(static_cast<std::size_t>(x.size()));
  const Halves halves(x.rows(), x.cols());
  for (Index c = 0; c < x.cols(); ++c)
    for (Index t = 0; t < x.rows(); ++t)
      if (!std::isnan(x(t, c))) order.push_back({x(t, c), halves.place(t, c)});
  const bool counted = order.size() <= std::numeric_limits<std::uint32_t>::max();
  if (order.size() < few || !counted)
    std::sort(order.begin(), order.end(),
              [](const PlacedDraw& a, const PlacedDraw& b) { return a.value < b.value; });
  else
    sort_by_digits(order);
  return order;
}

std::vector<PlacedDraw> folded(const std::vector<PlacedDraw>& order, double centre) {
  std::vector<PlacedDraw> distances(order.size());
  const auto distance = [centre](const PlacedDraw& draw) {
    return PlacedDraw{std::abs(draw.value - centre), draw.place};
  };
  auto above = std::partition_point(
      order.begin(), order.end(), [centre](const PlacedDraw& draw) { return draw.value < centre; });
  auto below = std::make_reverse_iterator(above);
  for (PlacedDraw& next : distances) {
    const bool up = below == order.rend() ||
                    (above != order.end() && distance(*above).value <= distance(*below).value);
    next = distance(up ? *above++ : *below++);
  }
  return distances;
}

NormalScores::NormalScores(Index n)
    : n_(static_cast<double>(n)), table_(static_cast<std::size_t>(n)) {
  constexpr Index together = 4096;
  parallel_for((n + together - 1) / together, [&](Index piece) {
    const Index last = std::min(n, (piece + 1) * together);
    for (Index k = piece * together; k < last; ++k)
      table_[static_cast<std::size_t>(k)] = at(static_cast<double>(k + 1));
  });
}

double NormalScores::at(double rank) const { return normal_quantile((rank - 0.375) / (n_ + 0.25)); }

double NormalScores::of(double rank) const {
  const auto whole = static_cast<std::size_t>(rank);
  return static_cast<double>(whole) == rank ? table_[whole - 1] : at(rank);
}

MatrixXd rank_normalised(const std::vector<PlacedDraw>& order, const NormalScores& scores,
                         const Halves& halves) {
  if (static_cast<Index>(order.size()) != halves.size())
    return MatrixXd::Constant(halves.rows(), halves.cols(), not_available);
  MatrixXd result(halves.rows(), halves.cols());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first + 1;
    while (last < order.size() && order[last].value == order[first].value) ++last;
    const double score = scores.of(static_cast<double>(first + last + 1) / 2);
    for (; first < last; ++first) result.data()[order[first].place] = score;
  }
  return result;
}

}  // namespace mixwell::diagnostics
