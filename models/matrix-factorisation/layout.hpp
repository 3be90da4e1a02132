// Where the coordinates of a factorisation are.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

namespace mixwell::factorisation {

/// Rows of the matrix of ratings, or its columns.
enum class Side { users, items };
inline constexpr Side both_sides[] = {Side::users, Side::items};
inline Side other(Side side) noexcept { return side == Side::users ? Side::items : Side::users; }

/// Coordinates: K factors of each user, of each item, then a bias of each user and each item if
/// there are any, then the hyper-parameters: of the users' factors, the items' factors, the two
/// biases.
struct Layout {
  Index users = 0;
  Index items = 0;
  Index rank = 1;  ///< K
  bool biases = true;
  Index hyper = 1;  ///< how many the factors of one side have

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
