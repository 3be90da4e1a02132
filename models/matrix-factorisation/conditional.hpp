// The potential of a block of factors and biases given the rest; evaluates only its ratings.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "layout.hpp"
#include "likelihood.hpp"
#include "priors.hpp"
#include "ratings.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace mixwell::factorisation {

/// The users and items of the ratings that depend on a block, as a smaller factorisation, with the
/// indices of its coordinates in the whole. Rows that the block moves come first.
class RatedRows {
 public:
  RatedRows(const Layout& whole, const Ratings& all, const std::vector<Index>& coordinates)
      : whole_(whole) {
    for (const Side side : both_sides)
      place_[of(side)].assign(static_cast<std::size_t>(whole.count(side)), -1);
    for (const Index c : coordinates) add_owner(c);
    for (const Side side : both_sides) moved_[of(side)] = std::ssize(rows_[of(side)]);
    for (Index n = 0; n < all.size(); ++n) {
      const auto k = static_cast<std::size_t>(n);
      const bool is_about = moves(Side::users, all.users[k]) || moves(Side::items, all.items[k]);
      (is_about ? about_ : others_).push_back(n);
    }
  }

  /// The ratings that depend on the block, and all others.
  const std::vector<Index>& about() const noexcept { return about_; }
  const std::vector<Index>& others() const noexcept { return others_; }
  /// The number of rows of a side that the block moves; they are the first of rows().
  Index moved(Side side) const noexcept { return moved_[of(side)]; }
  const std::vector<Index>& rows(Side side) const noexcept { return rows_[of(side)]; }
  bool moves(Side side, Index row) const {
    const Index at = place_[of(side)][static_cast<std::size_t>(row)];
    return at >= 0 && at < moved(side);
  }

  /// The ratings that depend on the block, with indices into rows(). Adds the rows that these
  /// ratings need.
  Ratings ratings(const Ratings& all) {
    Ratings found;
    found.values.resize(std::ssize(about_));
    for (const Index n : about_) {
      const auto k = static_cast<std::size_t>(n);
      found.values[std::ssize(found.users)] = all.values[n];
      found.users.push_back(place(Side::users, all.users[k]));
      found.items.push_back(place(Side::items, all.items[k]));
    }
    return found;
  }

  /// Call it after ratings().
  Layout layout() const {
    Layout own = whole_;
    own.users = std::ssize(rows(Side::users));
    own.items = std::ssize(rows(Side::items));
    return own;
  }
  /// The index in the whole position of each coordinate of layout().
  std::vector<Index> coordinates() const {
    std::vector<Index> all;
    for (const Side side : both_sides)
      for (const Index i : rows(side))
        for (Index k = 0; k < whole_.rank; ++k)
          all.push_back(whole_.factors(side) + i * whole_.rank + k);
    for (const Side side : both_sides)
      for (std::size_t i = 0; i < rows(side).size() && whole_.biases; ++i)
        all.push_back(whole_.bias(side) + rows(side)[i]);
    for (Index c = whole_.first_hyper(); c < whole_.dimension(); ++c) all.push_back(c);
    return all;
  }

 private:
  static std::size_t of(Side side) noexcept { return side == Side::users ? 0 : 1; }

  /// The index of a row in rows(). Adds the row if it is missing.
  Index place(Side side, Index row) {
    Index& known = place_[of(side)][static_cast<std::size_t>(row)];
    if (known < 0) {
      known = std::ssize(rows_[of(side)]);
      rows_[of(side)].push_back(row);
    }
    return known;
  }

  /// Adds the row that a factor or a bias belongs to.
  void add_owner(Index c) {
    const bool is_bias = c >= whole_.rank * (whole_.users + whole_.items);
    const auto first = [&](Side side) {
      return is_bias ? whole_.bias(side) : whole_.factors(side);
    };
    const Side side = c < first(Side::items) ? Side::users : Side::items;
    place(side, (c - first(side)) / (is_bias ? 1 : whole_.rank));
  }

  Layout whole_;
  std::array<std::vector<Index>, 2> place_;  ///< index of every row in rows(), or -1
  std::array<std::vector<Index>, 2> rows_;
  std::array<Index, 2> moved_{};
  std::vector<Index> about_;
  std::vector<Index> others_;
};

/// U as a function of some factors and biases. The cache of a column holds a position of RatedRows,
/// in which the block's own numbers are unused, and the part of U that comes from all other ratings
/// and rows.
class RowsGivenRest final : public ConditionalPotential {
 public:
  /// Null if more than half of the ratings depend on the block, or if it contains hyper-parameters.
  /// All arguments except `coordinates` must outlive the result.
  static std::shared_ptr<const RowsGivenRest> make(const Layout& whole,
                                                   const Likelihood& likelihood, Priors priors,
                                                   const std::vector<Index>& coordinates) {
    const auto is_hyper = [&](Index c) { return c >= whole.first_hyper(); };
    if (std::any_of(coordinates.begin(), coordinates.end(), is_hyper)) return nullptr;
    RatedRows rows(whole, likelihood.ratings(), coordinates);
    if (2 * std::ssize(rows.about()) > likelihood.ratings().size()) return nullptr;
    return std::make_shared<RowsGivenRest>(whole, likelihood, priors, std::move(rows), coordinates);
  }

  RowsGivenRest(const Layout& whole, const Likelihood& likelihood, Priors priors, RatedRows rows,
                const std::vector<Index>& coordinates)
      : whole_(whole),
        likelihood_(likelihood),
        priors_(priors),
        rows_(std::move(rows)),
        rated_(ratings_of(rows_, likelihood)),
        layout_(rows_.layout()),
        places_(rows_.coordinates()) {
    std::vector<Index> place(static_cast<std::size_t>(whole.dimension()), -1);
    for (std::size_t i = 0; i < places_.size(); ++i)
      place[static_cast<std::size_t>(places_[i])] = static_cast<Index>(i);
    for (const Index c : coordinates) own_.push_back(place[static_cast<std::size_t>(c)]);
  }

  Index cache_rows() const noexcept override { return layout_.dimension() + 1; }

  /// Takes 2 K operations for each rating that does not depend on the block, and the prior of the
  /// other rows.
  void prepare(ConstBatch theta, Batch caches, Workspace& scratch) const override {
    for (Index r = 0; r < theta.cols(); ++r) {
      const double* const x = theta.col(r).data();
      auto cache = caches.col(r);
      for (std::size_t i = 0; i < places_.size(); ++i) cache[static_cast<Index>(i)] = x[places_[i]];
      for (const Index i : own_) cache[i] = 0.0;
      double u = 0.0;
      for (const Index n : rows_.others()) u += likelihood_.term(x, n);
      for (const Side side : both_sides) u += prior_of_others(x, side, scratch);
      cache[layout_.dimension()] = u;
    }
  }

  /// Takes 6 K operations for each rating that depends on the block (2 K for U only), and the prior
  /// of the rows that the block moves.
  void evaluate(const ConditionalCaches& caches, ConstBatch x,
                const Evaluation& out) const override {
    Batch gradient = out.gradient;
    for (Index r = 0; r < x.cols(); ++r) {
      const Workspace::Frame frame(out.scratch);
      MatrixMap at = out.scratch.matrix(layout_.dimension(), 1);
      at = ConstMatrixMap(caches.column(r), layout_.dimension(), 1);
      for (std::size_t i = 0; i < own_.size(); ++i) at(own_[i], 0) = x(static_cast<Index>(i), r);
      const double rest = caches.column(r)[layout_.dimension()];
      MatrixMap g = out.scratch.matrix(layout_.dimension(), 1);
      g.setZero();
      const double u =
          rest + add(at.data(), out.wants_gradient() ? g.data() : nullptr, out.scratch);
      if (out.wants_potential()) out.u()(r) = u;
      if (!out.wants_gradient()) continue;
      for (std::size_t i = 0; i < own_.size(); ++i)
        gradient(static_cast<Index>(i), r) = g(own_[i], 0);
    }
  }

 private:
  static Likelihood ratings_of(RatedRows& rows, const Likelihood& all) {
    Ratings own = rows.ratings(all.ratings());
    return {rows.layout(), std::move(own), all.offset(), all.precision()};
  }

  /// The prior of the rows of a side that the block does not move. -log p(X, h) of all rows is the
  /// sum of its values for the moved rows and for the others, minus one -log p(h), because both
  /// values contain -log p(h).
  double prior_of_others(const double* x, Side side, Workspace& scratch) const {
    double u = 0.0;
    each_part(priors_, whole_, side, whole_.count(side),
              [&](const PriorPart& all) { u += prior_of_others(all, x, side, scratch); });
    return u;
  }
  double prior_of_others(const PriorPart& all, const double* x, Side side,
                         Workspace& scratch) const {
    const Index moved = rows_.moved(side);
    if (moved == 0) return all.potential(x, scratch);
    const Workspace::Frame frame(scratch);
    MatrixMap others = scratch.matrix(all.width, all.count - moved);
    Index next = 0;
    for (Index i = 0; i < all.count; ++i) {
      if (!rows_.moves(side, i)) others.col(next++) = all.rows(x).col(i);
    }
    const double* const h = x + all.hyper;
    return all.prior.potential(others, h, scratch) -
           all.prior.potential(others.leftCols(0), h, scratch);
  }

  /// Returns U of the rated rows; adds its gradient to g unless g is null.
  double add(const double* at, double* g, Workspace& scratch) const {
    double u = 0.0;
    for (Index n = 0; n < rated_.ratings().size(); ++n)
      u += g == nullptr ? rated_.term(at, n) : rated_.add_term(at, n, g);
    for (const Side side : both_sides)
      if (rows_.moved(side) > 0)
        each_part(priors_, layout_, side, rows_.moved(side),
                  [&](const PriorPart& part) { part.add(at, u, g, scratch); });
    return u;
  }

  const Layout& whole_;
  const Likelihood& likelihood_;
  Priors priors_;
  RatedRows rows_;
  Likelihood rated_;
  Layout layout_;              ///< of the rated rows
  std::vector<Index> places_;  ///< for each coordinate of layout_, its index in the whole
  std::vector<Index> own_;     ///< the coordinates of layout_ that the block moves
};

}  // namespace mixwell::factorisation
