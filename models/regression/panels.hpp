// A tall matrix X in a layout for fast products X A and X' B, where A and B have few columns.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/law/lanes.hpp>
#include <mixwell/plugin.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <utility>

namespace mixwell::regression {

using lanes::broadcast;
using lanes::Four;
using lanes::load;
using lanes::store;
using lanes::sum;

/// Part k of [0, total), cut into `parts` whose sizes differ by at most one.
struct Part {
  Part(Index total, Index parts, Index k)
      : first(total * k / parts), size(total * (k + 1) / parts - first) {}
  Index first;
  Index size;
};

/// Calls body(first, size) for the fewest parts of [0, total) with at most `most` elements each.
template <class Body>
void for_parts(Index total, Index most, const Body& body) {
  const Index parts = (total + most - 1) / most;
  for (Index k = 0; k < parts; ++k) {
    const Part part(total, parts, k);
    body(part.first, part.size);
  }
}

/// Columns of doubles at equal distances.
template <class Double>
struct Columns {
  Double* data;
  Index stride;

  Double* column(Index j) const { return data + j * stride; }
  Columns from(Index row, Index column) const { return {data + column * stride + row, stride}; }
};

/// Twelve rows of one column of X. With four columns of a narrow matrix, twelve of the 16 AVX2
/// registers hold sums, three hold X and one holds the other factor.
struct alignas(32) Cells {
  static constexpr Index rows = 12;
  static constexpr int fours = 3;
  double row[rows] = {};
};

/// A range of panels. A panel is `rows` rows of X, stored as `columns` Cells, one after the other.
struct Panels {
  const Cells* first;
  Index count;
  Index columns;

  const Cells* panel(Index p) const { return first + p * columns; }
  Index rows() const { return count * Cells::rows; }
  Panels part(Index from, Index panels) const { return {panel(from), panels, columns}; }
  Panels from(Index p) const { return part(p, count - p); }
};

namespace detail {

/// The widest tile, and the number of sums of four numbers that the registers hold.
constexpr int most_columns = 4;
constexpr int most_sums = 12;
/// The number of cells that are read several times in a row: 36 KiB, part of a first-level cache.
constexpr Index near_cells = 384;

/// sums(m, n) += left(m) * right(n); keeps the factors of the shorter side in registers.
template <int M, int N, class Left, class Right>
[[gnu::always_inline]] inline void add_outer(Four (&sums)[M][N], const Left& left,
                                             const Right& right) {
  Four kept[std::min(M, N)];
  if constexpr (M <= N) {
#pragma GCC unroll 16
    for (int m = 0; m < M; ++m) kept[m] = left(m);
#pragma GCC unroll 16
    for (int n = 0; n < N; ++n) {
      const Four factor = right(n);
#pragma GCC unroll 16
      for (int m = 0; m < M; ++m) sums[m][n] += kept[m] * factor;
    }
  } else {
#pragma GCC unroll 16
    for (int n = 0; n < N; ++n) kept[n] = right(n);
#pragma GCC unroll 16
    for (int m = 0; m < M; ++m) {
      const Four factor = left(m);
#pragma GCC unroll 16
      for (int n = 0; n < N; ++n) sums[m][n] += factor * kept[n];
    }
  }
}

/// out (T panels x J) = X A, where X is the first T panels of x. Each element is one chain of fused
/// multiply-adds over the columns of X in order, for any T and J.
template <int T, int J>
void multiply_tile(const Panels& x, Columns<const double> a, Columns<double> out) {
  Four sums[T * Cells::fours][J] = {};
  for (Index i = 0; i < x.columns; ++i) {
    const auto cells = [&](int t) {
      return load(x.panel(t / Cells::fours)[i].row + 4 * (t % Cells::fours));
    };
    add_outer(sums, cells, [&](int j) { return broadcast(a.column(j)[i]); });
  }
#pragma GCC unroll 16
  for (int t = 0; t < T * Cells::fours; ++t)
#pragma GCC unroll 16
    for (int j = 0; j < J; ++j) store(out.column(j) + 4 * t, sums[t][j]);
}

/// out (rows of x by J) = X A, with as many panels at once as the registers hold.
template <int J>
void multiply_strip(const Panels& x, Columns<const double> a, Columns<double> out) {
  constexpr int together = std::max(1, most_sums / (Cells::fours * J));
  Index p = 0;
  for (; p + together <= x.count; p += together)
    multiply_tile<together, J>(x.from(p), a, out.from(p * Cells::rows, 0));
  for (; p < x.count; ++p) multiply_tile<1, J>(x.from(p), a, out.from(p * Cells::rows, 0));
}

template <int I>
[[gnu::always_inline]] inline void prefetch(const Cells* cells) {
  constexpr int line = 64;
#pragma GCC unroll 16
  for (std::size_t byte = 0; byte < I * sizeof(Cells); byte += line)
    __builtin_prefetch(reinterpret_cast<const char*>(cells) + byte, 0, 2);
}

/// out (I x J) -= X' B, where X is the first I columns of x. Each element is the sum of four chains
/// of fused multiply-adds over the rows of X in order, for any I and J. Meanwhile prefetches the
/// same columns of the panels that begin at `next`, unless it is null.
template <int I, int J>
void subtract_tile(const Panels& x, const Cells* next, Columns<const double> b,
                   Columns<double> out) {
  Four sums[I][J] = {};
  for (Index p = 0; p < x.count; ++p) {
    if (next != nullptr) prefetch<I>(next + p * x.columns);
#pragma GCC unroll 3
    for (int t = 0; t < Cells::fours; ++t) {
      const auto cells = [&](int i) { return load(x.panel(p)[i].row + 4 * t); };
      const auto rows = [&](int j) { return load(b.column(j) + p * Cells::rows + 4 * t); };
      add_outer(sums, cells, rows);
    }
  }
#pragma GCC unroll 16
  for (int j = 0; j < J; ++j)
#pragma GCC unroll 16
    for (int i = 0; i < I; ++i) out.column(j)[i] -= sum(sums[i][j]);
}

using SubtractTile = void (*)(const Panels&, const Cells*, Columns<const double>, Columns<double>);

template <int I, int J>
constexpr SubtractTile subtract_tile_of() {
  if constexpr (I * J <= most_sums) return &subtract_tile<I, J>;
  return nullptr;
}
template <int J, int... I>
constexpr auto subtract_tiles_of(std::integer_sequence<int, I...>) {
  return std::array{subtract_tile_of<I + 1, J>()...};
}

/// Strips of J columns are at [J - 1]; tiles of I rows and J columns at [J - 1][I - 1].
inline constexpr std::array multiply_strips{&multiply_strip<1>, &multiply_strip<2>,
                                            &multiply_strip<3>, &multiply_strip<4>};
inline constexpr auto eight = std::make_integer_sequence<int, 8>();
inline constexpr std::array subtract_tiles{subtract_tiles_of<1>(eight), subtract_tiles_of<2>(eight),
                                           subtract_tiles_of<3>(eight),
                                           subtract_tiles_of<4>(eight)};

inline auto slot(Index size) { return static_cast<std::size_t>(size - 1); }

}  // namespace detail

/// out (rows of x by width) = X A, where A is (columns of x) by width.
inline void multiply(const Panels& x, Columns<const double> a, Index width, Columns<double> out) {
  const Index together =
      width <= detail::most_columns ? x.count : 1 + detail::near_cells / x.columns;
  for_parts(x.count, together, [&](Index p, Index panels) {
    for_parts(width, detail::most_columns, [&](Index j, Index columns) {
      detail::multiply_strips[detail::slot(columns)](x.part(p, panels), a.from(0, j),
                                                     out.from(p * Cells::rows, j));
    });
  });
}

/// out (columns of x by width) -= X' B, where B is (rows of x) by width. Prefetches the panels that
/// begin at `next`, unless it is null.
inline void subtract_transposed(const Panels& x, const Cells* next, Columns<const double> b,
                                Index width, Columns<double> out) {
  const Index tallest = width == 1 ? 8 : width == 2 ? 4 : 3;
  for_parts(x.columns, tallest, [&](Index i, Index rows) {
    for_parts(width, detail::most_columns, [&](Index j, Index columns) {
      const Cells* fetched = next != nullptr && j == 0 ? next + i : nullptr;
      detail::subtract_tiles[detail::slot(columns)][detail::slot(rows)](
          {x.first + i, x.count, x.columns}, fetched, b.from(0, j), out.from(i, j));
    });
  });
}

}  // namespace mixwell::regression
