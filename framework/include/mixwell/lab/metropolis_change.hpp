// Tests whether draws come from a density exp(-U), without gradients and for any support.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/random.hpp>
#include <mixwell/base/types.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace mixwell {

/// Tests by Metropolis steps. If x is a draw of exp(-U), then a Metropolis step for exp(-U) from x
/// ends in another draw of it. With y - x as likely as x - y and a = min(1, exp(U(x) - U(y))), this
/// means E a (f(y) - f(x)) = 0 for every f. Steps are normal, with the spread of earlier draws in
/// the same column. They are whole numbers in coordinates whose draws are all whole. The functions
/// f are the first coordinates, their squares, a sum over all coordinates, and U. Each column may
/// have its own density. add() accepts any y that is as likely from x as x is from y.
class MIXWELL_EXPORT MetropolisChange {
 public:
  enum class Sum {
    of_coordinates,
    of_fourth_powers  ///< for spheres (their sum of squares is constant) and even laws
  };
  MetropolisChange(Index dimension, Index columns, Sum sum = Sum::of_coordinates);

  /// Adds a draw in each column. These draws determine the size of the steps. Call this function
  /// several times before the first propose().
  void see(ConstBatch x);
  /// Writes y, a different one for each `round`.
  void propose(ConstBatch x, std::uint64_t round, Batch y) const;
  /// Adds a (f(y) - f(x)). If the density is 0 at a draw, its column becomes NaN.
  void add(ConstBatch x, ConstRow u_x, ConstBatch y, ConstRow u_y);

  /// Sums over rounds, one row for each f. Every entry has mean 0.
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
