// Draws in order, and the normal scores of their ranks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnostics/autocovariance.hpp"

#include <mixwell/base/export.hpp>
#include <mixwell/lab/diagnostics.hpp>

#include <Eigen/Core>

#include <cstdint>
#include <vector>

namespace mixwell::diagnostics {

/// Where draws are once chains are split into halves, each a chain, all first halves before all
/// second ones; of an odd number of draws the middle one is left out. A single draw stays whole.
class Halves {
 public:
  Halves(Eigen::Index draws, Eigen::Index chains)
      : draws_(draws), chains_(chains), rows_(draws < 2 ? draws : draws / 2) {}

  Eigen::Index rows() const noexcept { return rows_; }
  Eigen::Index cols() const noexcept { return draws_ < 2 ? chains_ : 2 * chains_; }
  Eigen::Index size() const noexcept { return rows() * cols(); }
  /// Of draw t of chain c, column after column; -1 for what is left out.
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

/// All draws of x but NaN, in ascending order; equal ones (0 and -0 too) in any. O(n).
MIXWELL_INTERNAL std::vector<PlacedDraw> in_order(const Eigen::Ref<const Eigen::MatrixXd>& x);

/// Of draws in order, the distances to `centre` (finite), in order. O(n).
MIXWELL_INTERNAL std::vector<PlacedDraw> folded(const std::vector<PlacedDraw>& order,
                                                double centre);

/// Normal scores of ranks from 1 to n: the quantiles at (rank - 3/8) / (n + 1/4) (Blom). A table,
/// as all quantities of a summary have the same n.
class MIXWELL_INTERNAL NormalScores {
 public:
  explicit NormalScores(Eigen::Index n);

  Eigen::Index size() const noexcept { return static_cast<Eigen::Index>(table_.size()); }
  /// Of a rank, or the middle between two.
  double of(double rank) const;

 private:
  double at(double rank) const;

  double n_;
  std::vector<double> table_;  ///< of the whole ranks
};

/// Scores at the draws' places; tied draws share their average rank. All NaN unless the halves'
/// places are all taken, as where some draw is NaN.
MIXWELL_INTERNAL Eigen::MatrixXd rank_normalised(const std::vector<PlacedDraw>& order,
                                                 const NormalScores& scores, const Halves& halves);

// The standard figures in pieces, for those that compute them many times over.

/// summarise(x, together). `scores`: of as many ranks as the halves of x have draws.
MIXWELL_INTERNAL StandardFigures summarise(const Draws& x, Eigen::Index together,
                                           const NormalScores& scores);
/// summarise(x, w, together), likewise.
MIXWELL_INTERNAL StandardFigures summarise(const Draws& x, const Draws& w, Eigen::Index together,
                                           const NormalScores& scores);

/// Effective sample size of chains that are split already: at most n log10 n.
double split_ess(const Eigen::MatrixXd& chains, Eigen::Index together, Fourier& fourier);

}  // namespace mixwell::diagnostics
