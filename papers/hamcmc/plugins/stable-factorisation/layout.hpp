// The order of the coordinates of model `stable-factorisation`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <vector>

namespace mixwell::stable_factorisation {

/// One of the sources that add up to the matrix.
struct Source {
  double alpha = 1.0;
  Index first = 0;  ///< index of its first factor
  Index rank = 1;   ///< number of its factors
};

/// Row factors I x K, column factors J x K, and the angles S x N and energies S x N of the scales;
/// in each, the last index runs fastest.
struct Layout {
  Index rows = 0;     ///< I
  Index columns = 0;  ///< J
  Index entries = 0;  ///< N
  Index rank = 0;     ///< K, total of all sources
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
