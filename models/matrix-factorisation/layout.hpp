// The order of the coordinates of a factorisation.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

namespace mixwell::factorisation {

/// Rows or columns of the matrix of ratings.
enum class Side { users, items };
inline constexpr Side both_sides[] = {Side::users, Side::items};
inline Side other(Side side) noexcept { return side == Side::users ? Side::items : Side::users; }

/// Order of the coordinates: K factors of each user, then of each item; a bias of each user and
/// each item, if there are any; then the hyper-parameters of the users' factors, the items' factors
/// and the two biases.
struct Layout {
  Index users = 0;
  Index items = 0;
  Index rank = 1;  ///< K
  bool biases = true;
  Index hyper = 1;  ///< number of hyper-parameters of the factors of one side

  Index count(Side side) const noexcept { return side == Side::users ? users : items; }
  Index factors(Side side) const noexcept { return side == Side::users ? 0 : rank * users; }
  Index bias(Side side) const noexcept {
    return rank * (users + items) + (side == Side::users ? 0 : users);
  }
  Index first_hyper() const noexcept { return (rank + (biases ? 1 : 0)) * (users + items); }
  Index factor_hyper(Side side) const noexcept {
    return first_hyper() + (side == Side::users ? 0 : hyper);
  }
  Index bias_hyper(Side side) const noexcept {
    return first_hyper() + 2 * hyper + (side == Side::users ? 0 : 1);
  }
  Index dimension() const noexcept { return first_hyper() + 2 * hyper + (biases ? 2 : 0); }
};

}  // namespace mixwell::factorisation
