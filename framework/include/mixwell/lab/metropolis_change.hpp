// Tests whether draws come from a density exp(-U). Needs no gradients, and allows any support.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/random.hpp>
#include <mixwell/base/types.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace mixwell {

/// Uses Metropolis steps to test draws. If x is a draw from exp(-U), a Metropolis step that starts
/// at x and targets exp(-U) also ends at a draw from exp(-U). Let the proposal be symmetric (y from
/// x is as likely as x from y), and let a = min(1, exp(U(x) - U(y))). Then E[a (f(y) - f(x))] = 0
/// for every f. propose() draws normal steps y - x, scaled by the spread of earlier draws in the
/// same column. It rounds the steps in coordinates whose earlier draws are all whole numbers. The
/// functions f are the first coordinates, their squares, the sum of all coordinates or of their
/// fourth powers, and U. Each column may have its own density. add() accepts y from any symmetric
/// proposal.
class MIXWELL_EXPORT MetropolisChange {
 public:
  enum class Sum {
    of_coordinates,
    of_fourth_powers  ///< for even densities, and on spheres (where the sum of squares is constant)
  };
  MetropolisChange(Index dimension, Index columns, Sum sum = Sum::of_coordinates);

  /// Adds a draw in each column. These draws determine the size of the steps. Call this function
  /// several times before the first propose().
  void see(ConstBatch x);
  /// Writes a proposal y from x. Each `round` gives a different proposal.
  void propose(ConstBatch x, std::uint64_t round, Batch y) const;
  /// Adds a * (f(y) - f(x)) to sums(). Column j of sums() becomes NaN if the density is 0
  /// at column j of x.
  void add(ConstBatch x, ConstRow u_x, ConstBatch y, ConstRow u_y);

  /// Sums over rounds, one row for each f. Every entry has mean 0 if the draws are from exp(-U).
  const Eigen::ArrayXXd& sums() const noexcept { return sums_; }
  /// Names of the rows: "x[0]", ..., "x[0]^2", ..., "the sum of x" or "the sum of x^4", "U".
  std::vector<std::string> names() const;

 private:
  Index shown_;
  Sum sum_;
  Stream steps_;
  Eigen::ArrayXXd seen_;
  Eigen::ArrayXXd seen_squared_;
  Eigen::Array<bool, Eigen::Dynamic, 1> whole_;
  double times_ = 0.0;
  Eigen::ArrayXXd sums_;
};

}  // namespace mixwell
