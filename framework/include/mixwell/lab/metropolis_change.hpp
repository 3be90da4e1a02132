// Whether draws come from a density exp(-U), with no gradient and whatever its support is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/random.hpp>
#include <mixwell/base/types.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace mixwell {

/// A Metropolis step for exp(-U) from a draw x of it ends in a draw of it: with y - x as likely as
/// x - y and a = min(1, exp(U(x) - U(y))), E a (f(y) - f(x)) = 0 for every f. Steps are normal, of
/// the spread that earlier draws had in their column, and whole numbers in coordinates whose draws
/// all are. f: the first coordinates, their squares, a sum over all coordinates, and U. Columns may
/// have laws of their own. add() takes any y that is as likely from x as x from y.
class MIXWELL_EXPORT MetropolisChange {
 public:
  enum class Sum {
    of_coordinates,
    of_fourth_powers  ///< for spheres, where the sum of squares is constant, and for even laws
  };
  MetropolisChange(Index dimension, Index columns, Sum sum = Sum::of_coordinates);

  /// A draw in each column, which the size of the steps is taken from; several before the first
  /// propose().
  void see(ConstBatch x);
  /// y, another one for each `round`.
  void propose(ConstBatch x, std::uint64_t round, Batch y) const;
  /// Adds a (f(y) - f(x)); a draw where the density is 0 makes its column NaN.
  void add(ConstBatch x, ConstRow u_x, ConstBatch y, ConstRow u_y);

  /// Sums over rounds, a row for each f; every entry has mean 0.
  const Eigen::ArrayXXd& sums() const noexcept { return sums_; }
  /// Of the rows: "x[0]", ..., "x[0]^2", ..., "the sum of x" or "the sum of x^4", "U".
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
