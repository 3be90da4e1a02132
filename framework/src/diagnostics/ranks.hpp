// Draws in ascending order, and the normal scores of their ranks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnostics/autocovariance.hpp"

#include <mixwell/base/export.hpp>
#include <mixwell/lab/diagnostics.hpp>

#include <Eigen/Core>

#include <cstdint>
#include <vector>

namespace mixwell::diagnostics {

/// The places of draws after chains are split into halves. Each half is a chain. All first halves
/// come before all second halves. If the number of draws is odd, the middle draw is left out. A
/// single draw is not split.
class Halves {
 public:
  Halves(Eigen::Index draws, Eigen::Index chains)
      : draws_(draws), chains_(chains), rows_(draws < 2 ? draws : draws / 2) {}

  Eigen::Index rows() const noexcept { return rows_; }
  Eigen::Index cols() const noexcept { return draws_ < 2 ? chains_ : 2 * chains_; }
  Eigen::Index size() const noexcept { return rows() * cols(); }
  /// The place of draw t of chain c, column after column; -1 if the draw is left out.
  std::int64_t place(Eigen::Index t, Eigen::Index c) const noexcept {
    if (t < rows_) return c * rows_ + t;
    const Eigen::Index later = t - (draws_ - rows_);
    return later < 0 ? -1 : (chains_ + c) * rows_ + later;
  }

 private:
  Eigen::Index draws_;
  Eigen::Index chains_;
  Eigen::Index rows_;
};

/// A draw and its place among the halves.
struct PlacedDraw {
  double value;
  std::int64_t place;
};

/// All draws of x except NaN, in ascending order. The order of equal draws (also of 0 and -0) is
/// arbitrary. O(n).
MIXWELL_INTERNAL std::vector<PlacedDraw> in_order(const Eigen::Ref<const Eigen::MatrixXd>& x);

/// The distances of draws from `centre`, in ascending order. `order`: the draws in ascending order.
/// `centre` must be finite. O(n).
MIXWELL_INTERNAL std::vector<PlacedDraw> folded(const std::vector<PlacedDraw>& order,
                                                double centre);

/// Normal scores of ranks from 1 to n: the quantiles at (rank - 3/8) / (n + 1/4) (Blom). One table
/// of scores serves all quantities of a summary, because they have the same n.
class MIXWELL_INTERNAL NormalScores {
 public:
  explicit NormalScores(Eigen::Index n);

  Eigen::Index size() const noexcept { return static_cast<Eigen::Index>(table_.size()); }
  /// The score of a rank, which may be the middle between two whole ranks.
  double of(double rank) const;

 private:
  double at(double rank) const;

  double n_;
  std::vector<double> table_;  ///< scores of whole ranks
};

/// A matrix with the score of each draw at its place. Equal draws get the score of their average
/// rank. All NaN if a place of the halves has no draw, for example because a draw is NaN.
MIXWELL_INTERNAL Eigen::MatrixXd rank_normalised(const std::vector<PlacedDraw>& order,
                                                 const NormalScores& scores, const Halves& halves);

// These functions compute the standard figures from precomputed scores, for callers that need the
// figures of many quantities.

/// The same as summarise(x, together). `scores` must have as many ranks as the halves of x have
/// draws.
MIXWELL_INTERNAL StandardFigures summarise(const Draws& x, Eigen::Index together,
                                           const NormalScores& scores);
/// The same as summarise(x, w, together). `scores` are as in the overload without weights.
MIXWELL_INTERNAL StandardFigures summarise(const Draws& x, const Draws& w, Eigen::Index together,
                                           const NormalScores& scores);

/// Effective sample size of chains that are already split. It is at most n log10 n for n draws.
double split_ess(const Eigen::MatrixXd& chains, Eigen::Index together, Fourier& fourier);

}  // namespace mixwell::diagnostics
