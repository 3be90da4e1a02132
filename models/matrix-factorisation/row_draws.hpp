// Exact draws of the factors and biases of all users, or of all items, given the rest.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "layout.hpp"
#include "likelihood.hpp"
#include "priors.hpp"
#include "ratings.hpp"

#include <mixwell/plugin.hpp>

#include <Eigen/Cholesky>

#include <algorithm>
#include <vector>

namespace mixwell::factorisation {

/// The ratings of each row of one side, in one array, row after row.
class RatingsByRow {
 public:
  RatingsByRow(const Layout& layout, const Ratings& ratings, Side side) {
    const std::vector<Index>& rows = side == Side::users ? ratings.users : ratings.items;
    const std::vector<Index>& others = side == Side::users ? ratings.items : ratings.users;
    first_.assign(static_cast<std::size_t>(layout.count(side)) + 1, 0);
    for (const Index row : rows) ++first_[static_cast<std::size_t>(row) + 1];
    for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    std::vector<Index> next(first_.begin(), first_.end() - 1);
    others_.resize(rows.size());
    values_.resize(ratings.size());
    for (std::size_t n = 0; n < rows.size(); ++n) {
      const Index at = next[static_cast<std::size_t>(rows[n])]++;
      others_[static_cast<std::size_t>(at)] = others[n];
      values_[at] = ratings.values[static_cast<Index>(n)];
    }
    for (Index i = 0; i < layout.count(side); ++i) most_ = std::max(most_, size(i));
  }

  Index first(Index row) const { return first_[static_cast<std::size_t>(row)]; }
  Index size(Index row) const { return first(row + 1) - first(row); }
  Index other(Index at) const { return others_[static_cast<std::size_t>(at)]; }
  double value(Index at) const { return values_[at]; }
  /// The largest size().
  Index most() const noexcept { return most_; }

 private:
  std::vector<Index> first_;  ///< where each row's ratings begin, and the end
  std::vector<Index> others_;
  Eigen::VectorXd values_;
  Index most_ = 0;
};

/// Given the other side, a row w = (u_i, a_i) is normal. With rows g_n = (v_j, 1) for its ratings,
/// and prior precision P and mean m, its precision and mean are
///   Q = P + tau G'G,  Q^-1 (P m + tau G'(y - offset - b)).
class RowDraws {
 public:
  RowDraws(const Layout& layout, Side side, const Likelihood& likelihood)
      : layout_(layout),
        side_(side),
        likelihood_(likelihood),
        by_row_(layout, likelihood.ratings(), side) {}

  /// Draws every row of the side in the position theta. z: width() normals for each row. Takes N
  /// w^2 + n w^3 / 3 operations for n rows of width w = K + 1.
  void draw(const Priors& priors, ConstBatch z, double* theta, Workspace& scratch) const {
    const Workspace::Frame frame(scratch);
    System system(*this, scratch);
    system.set_prior(priors, *this, theta, scratch);
    for (Index i = 0; i < layout_.count(side_); ++i) {
      add_ratings(i, theta, system);
      system.solve(z.data() + i * width());
      Eigen::Map<Eigen::VectorXd>(theta + layout_.factors(side_) + i * layout_.rank, layout_.rank) =
          system.shift.col(0).head(layout_.rank);
      if (layout_.biases) theta[layout_.bias(side_) + i] = system.shift(layout_.rank, 0);
    }
  }

  /// K + 1, or K without biases.
  Index width() const noexcept { return layout_.rank + (layout_.biases ? 1 : 0); }

 private:
  /// Q and Q m for one row.
  struct System {
    MatrixMap prior_precision;
    MatrixMap prior_shift;
    MatrixMap precision;
    MatrixMap shift;
    MatrixMap inputs;  ///< g_n as columns
    MatrixMap off;     ///< y - offset - b

    System(const RowDraws& draws, Workspace& scratch)
        : prior_precision(scratch.matrix(draws.width(), draws.width())),
          prior_shift(scratch.matrix(draws.width(), 1)),
          precision(scratch.matrix(draws.width(), draws.width())),
          shift(scratch.matrix(draws.width(), 1)),
          inputs(scratch.matrix(draws.width(), draws.by_row_.most())),
          off(scratch.matrix(draws.by_row_.most(), 1)) {}

    void set_prior(const Priors& priors, const RowDraws& draws, const double* theta,
                   Workspace& scratch) {
      const Workspace::Frame frame(scratch);
      const Layout& layout = draws.layout_;
      MatrixMap Q = scratch.matrix(layout.rank, layout.rank);
      MatrixMap m = scratch.matrix(layout.rank, 1);
      Q.setZero();
      m.setZero();
      priors.factors.add_precision(theta + layout.factor_hyper(draws.side_), Q, m, scratch);
      prior_precision.setZero();
      prior_shift.setZero();
      prior_precision.topLeftCorner(layout.rank, layout.rank) = Q;
      prior_shift.topRows(layout.rank) = m;
      if (!layout.biases) return;
      MatrixMap q = scratch.matrix(1, 1);
      MatrixMap none = scratch.matrix(1, 1);
      q.setZero();
      priors.bias.add_precision(theta + layout.bias_hyper(draws.side_), q, none, scratch);
      prior_precision(layout.rank, layout.rank) = q(0, 0);
    }

    /// shift := Q^-1 shift + L'^-1 z, Q = L L'.
    void solve(const double* z) {
      const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> factor(precision);
      factor.matrixL().solveInPlace(shift);
      shift += Eigen::Map<const Eigen::VectorXd>(z, shift.rows());
      factor.matrixU().solveInPlace(shift);
    }
  };

  void add_ratings(Index row, const double* theta, System& system) const {
    const Index n = by_row_.size(row);
    for (Index k = 0; k < n; ++k) {
      const Index j = by_row_.other(by_row_.first(row) + k);
      system.inputs.col(k).head(layout_.rank) = Eigen::Map<const Eigen::VectorXd>(
          theta + layout_.factors(other(side_)) + j * layout_.rank, layout_.rank);
      system.off(k, 0) = by_row_.value(by_row_.first(row) + k) - likelihood_.offset();
      if (!layout_.biases) continue;
      system.inputs(layout_.rank, k) = 1.0;
      system.off(k, 0) -= theta[layout_.bias(other(side_)) + j];
    }
    const auto G = system.inputs.leftCols(n);
    const double tau = likelihood_.precision();
    system.precision = system.prior_precision;
    system.precision.noalias() += tau * (G * G.transpose());
    system.shift = system.prior_shift;
    system.shift.noalias() += tau * (G * system.off.topRows(n));
  }

  Layout layout_;
  Side side_;
  const Likelihood& likelihood_;
  RatingsByRow by_row_;
};

}  // namespace mixwell::factorisation
