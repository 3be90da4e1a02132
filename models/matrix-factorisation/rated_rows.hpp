// The ratings that some factors and biases are about, as a factorisation of their own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "layout.hpp"
#include "ratings.hpp"

#include <mixwell/plugin.hpp>

#include <array>
#include <cstddef>
#include <vector>

namespace mixwell::factorisation {

/// A factorisation of its own of the users and items that some ratings are about: which ones they
/// are, and where its coordinates are in the whole. Rows that the block moves come first.
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

  /// Of all ratings: those that the block is about, and all others.
  const std::vector<Index>& about() const noexcept { return about_; }
  const std::vector<Index>& others() const noexcept { return others_; }
  /// How many rows of a side the block moves, which are the first of rows().
  Index moved(Side side) const noexcept { return moved_[of(side)]; }
  const std::vector<Index>& rows(Side side) const noexcept { return rows_[of(side)]; }
  bool moves(Side side, Index row) const {
    const Index at = place_[of(side)][static_cast<std::size_t>(row)];
    return at >= 0 && at < moved(side);
  }

  /// The ratings that it is about, by places among rows().
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

  /// After ratings().
  Layout layout() const {
    Layout own = whole_;
    own.users = std::ssize(rows(Side::users));
    own.items = std::ssize(rows(Side::items));
    return own;
  }
  /// In the whole, one for each coordinate of layout().
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

  /// Of the row, which gets one if it has none.
  Index place(Side side, Index row) {
    Index& known = place_[of(side)][static_cast<std::size_t>(row)];
    if (known < 0) {
      known = std::ssize(rows_[of(side)]);
      rows_[of(side)].push_back(row);
    }
    return known;
  }

  /// The row that a factor or a bias belongs to.
  void add_owner(Index c) {
    const bool is_bias = c >= whole_.rank * (whole_.users + whole_.items);
    const auto first = [&](Side side) {
      return is_bias ? whole_.bias(side) : whole_.factors(side);
    };
    const Side side = c < first(Side::items) ? Side::users : Side::items;
    place(side, (c - first(side)) / (is_bias ? 1 : whole_.rank));
  }

  Layout whole_;
  std::array<std::vector<Index>, 2> place_;  ///< of every row among rows(), or -1
  std::array<std::vector<Index>, 2> rows_;
  std::array<Index, 2> moved_{};
  std::vector<Index> about_;
  std::vector<Index> others_;
};

}  // namespace mixwell::factorisation
