// Selects pairs (s, y) from each column of a memory, and declares the keys for the selection.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

namespace mixwell::quasi_newton {

struct Options {
  std::optional<double> gamma;
  /// For y = A s the cosine s'y / |s||y| is at least 2 sqrt(k) / (1 + k), where k is the
  /// condition number of A. So the default 1e-6 passes every pair of a quadratic up to k = 4e12. A
  /// pair closer to orthogonal would multiply the rounding errors of the factors by a million.
  double curvature_test = 1e-6;
  double regularisation = 0.0;
  std::optional<Interval> eigenvalues;
  bool sort = true;

  void declare(Fields& fields) {
    fields.number("gamma", gamma)
        .unit("theta^2")
        .above(0)
        .help(
            "gamma of the initial H = gamma I (default: s'y / y'y of the newest pair, or 1 without "
            "pairs). Set a smaller gamma if the first moves on a narrow target diverge");
    fields.number("curvature_test", curvature_test)
        .at_least(0)
        .below(1)
        .help("use a pair only if s'y > curvature_test |s||y|");
    fields.number("regularisation", regularisation)
        .unit("1/theta^2")
        .at_least(0)
        .help(
            "lambda in y + lambda s, which replaces y (HAMCMC). If all eigenvalues of the Hessian "
            "are above -lambda, then s'(y + lambda s) > 0 for small steps s");
    fields.interval("eigenvalues", eigenvalues)
        .unit("theta^2")
        .above(0)
        .help(
            "leave out pairs that move an eigenvalue of H outside [low, high] (relative tolerance "
            "1e-9)");
    fields.flag("sort", sort)
        .help(
            "sort the points by descending U before pairing them, instead of keeping the order of "
            "the memory");
  }

  void check() const {
    if (!eigenvalues) return;
    if (eigenvalues->first > eigenvalues->second) {
      throw ParameterError("eigenvalues",
                           "must be [low, high] with low <= high. Exchange the two values.");
    }
    if (gamma && within(*gamma) != *gamma) {
      throw ParameterError("gamma",
                           "must be within the limits `eigenvalues`. Change one of the two keys.");
    }
  }

  double within(double value) const {
    return eigenvalues ? std::clamp(value, eigenvalues->first, eigenvalues->second) : value;
  }
};

using ConstVector = Eigen::Map<const Eigen::VectorXd>;

/// s = theta_to - theta_from and y = g_to - g_from + lambda s, as s's, s'y and y'y.
struct Pair {
  Index from;
  Index to;
  double ss;
  double sy;
  double yy;
};

/// One column of a memory.
class MemoryColumn {
 public:
  MemoryColumn(const Memory& memory, Index column) noexcept : memory_(memory), column_(column) {}

  Index size() const noexcept { return memory_.size(); }
  Index dimension() const noexcept { return memory_.rows(); }
  bool holds_displacements() const noexcept { return memory_.holds_displacements(); }
  ConstVector point(Index k) const noexcept { return column(memory_.point(k)); }
  ConstVector gradient(Index k) const noexcept { return column(memory_.gradient(k)); }
  double potential(Index k) const noexcept { return memory_.potential(k)(column_); }
  /// Whether a point and its gradient are finite in all rows.
  bool is_finite(Index k) const {
    return on_all_rows(memory_.divided_rows(), point(k).allFinite() && gradient(k).allFinite());
  }

  auto s(Index from, Index to) const noexcept { return point(to) - point(from); }
  auto y(Index from, Index to) const noexcept { return gradient(to) - gradient(from); }
  Pair pair(Index from, Index to, double lambda) const {
    const auto step = s(from, to);
    const auto change = y(from, to);
    double ss = 0.0;
    double sy = 0.0;
    double yy = 0.0;
    if (const DividedRows* const rows = memory_.divided_rows()) {
      double sums[3];
      const VectorPair pairs[3] = {{step, step}, {step, change}, {change, change}};
      rows->dots(pairs, sums);
      ss = sums[0], sy = sums[1], yy = sums[2];
    } else {
      ss = step.squaredNorm();
      sy = step.dot(change);
      yy = change.squaredNorm();
    }
    return {from, to, ss, sy + lambda * ss, yy + lambda * (2.0 * sy + lambda * ss)};
  }

 private:
  ConstVector column(const ConstMatrixMap& all) const noexcept {
    return {all.data() + column_ * all.rows(), all.rows()};
  }

  const Memory& memory_;
  Index column_;
};

/// The finite points, in the order of the memory or from the largest U to the smallest. Points with
/// equal U keep the order of the memory.
inline std::span<Index> ordered_points(const MemoryColumn& memory, bool sort, Workspace& scratch) {
  Index* order = scratch.objects<Index>(memory.size());
  std::size_t count = 0;
  for (Index k = 0; k < memory.size(); ++k) {
    if (!memory.is_finite(k)) continue;
    if (sort && !std::isfinite(memory.potential(k))) continue;
    order[count++] = k;
  }
  if (sort) {
    std::sort(order, order + count, [&](Index a, Index b) {
      const double ua = memory.potential(a);
      const double ub = memory.potential(b);
      return ua > ub || (ua == ub && a < b);
    });
  }
  return {order, count};
}

/// s'y > delta |s||y|, with s's, s'y and y'y all in the range of normal numbers. With limits on the
/// spectrum of H, also low <= s'y / y'y and s's / s'y <= high, which H y = s and B s = y require.
inline bool passes(const Pair& pair, const Options& options) {
  if (!(pair.sy > options.curvature_test * std::sqrt(pair.ss) * std::sqrt(pair.yy))) return false;
  if (!std::isnormal(pair.ss) || !std::isnormal(pair.sy) || !std::isnormal(pair.yy)) return false;
  if (!options.eigenvalues) return true;
  const auto& [low, high] = *options.eigenvalues;
  return low * pair.yy <= pair.sy && pair.ss <= high * pair.sy;
}

/// The displacements of the memory that pass the test, in their order.
inline std::span<const Pair> given_pairs(const MemoryColumn& memory, const Options& options,
                                         Workspace& scratch) {
  Pair* pairs = scratch.objects<Pair>(memory.size() / 2);
  std::size_t count = 0;
  for (Index k = 0; k + 1 < memory.size(); k += 2) {
    const Pair pair = memory.pair(k, k + 1, options.regularisation);
    if (passes(pair, options)) pairs[count++] = pair;
  }
  return {pairs, count};
}

/// Pairs of neighbours, the newest last. If a point makes no valid pair with its predecessor, the
/// point is dropped, and the next point is tried with the same predecessor.
inline std::span<const Pair> neighbour_pairs(const MemoryColumn& memory, const Options& options,
                                             Workspace& scratch) {
  const std::span<const Index> order = ordered_points(memory, options.sort, scratch);
  Pair* pairs = scratch.objects<Pair>(static_cast<Index>(order.size()));
  std::size_t count = 0;
  std::size_t from = 0;
  for (std::size_t to = 1; to < order.size(); ++to) {
    const Pair pair = memory.pair(order[from], order[to], options.regularisation);
    if (!passes(pair, options)) continue;
    pairs[count++] = pair;
    from = to;
  }
  return {pairs, count};
}

inline std::span<const Pair> select_pairs(const MemoryColumn& memory, const Options& options,
                                          Workspace& scratch) {
  return memory.holds_displacements() ? given_pairs(memory, options, scratch)
                                      : neighbour_pairs(memory, options, scratch);
}

inline double initial_scale(std::span<const Pair> pairs, const Options& options) {
  if (options.gamma) return *options.gamma;
  return options.within(pairs.empty() ? 1.0 : pairs.back().sy / pairs.back().yy);
}

}  // namespace mixwell::quasi_newton
