// Where the parameters of a factorisation by sources stand among the coordinates.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <vector>

namespace mixwell::stable_factorisation {

/// One of the sources that add up to the matrix.
struct Source {
  double alpha = 1.0;
  Index first = 0;  ///< of its factors
  Index rank = 1;   ///< how many they are
};

/// Row factors I x K, column factors J x K, angles S x N and energies S x N of the scales, each
/// with the last index fastest.
struct Layout {
  Index rows = 0;     ///< I
  Index columns = 0;  ///< J
  Index entries = 0;  ///< N
  Index rank = 0;     ///< K, of all sources together
  std::vector<Source> sources{};

  Index scales() const noexcept { return std::ssize(sources) * entries; }
  Index factors() const noexcept { return (rows + columns) * rank; }
  Index row_factors(Index i) const noexcept { return i * rank; }
  Index column_factors(Index j) const noexcept { return (rows + j) * rank; }
  Index angle(Index source, Index n) const noexcept { return factors() + source * entries + n; }
  Index energy(Index source, Index n) const noexcept { return angle(source, n) + scales(); }
  Index dimension() const noexcept { return factors() + 2 * scales(); }
};

}  // namespace mixwell::stable_factorisation
