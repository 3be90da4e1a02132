// Writing the next state: the present one, or where accepted the proposal.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/types.hpp>

#include <algorithm>

namespace mixwell {

/// theta and g (d x w) with u (1 x w), as plain memory. All three g may be null: then there is
/// none.
template <class Number>
struct StateNumbers {
  Number* theta;
  Number* u;
  Number* g;
};

/// Column by column, next = accepted ? end : start. The pointers are looked up once a block; `next`
/// and `start` usually share their memory, and then a rejected column costs nothing.
class NextState {
 public:
  NextState(Index rows, Index columns, StateNumbers<const double> start,
            StateNumbers<const double> end, StateNumbers<double> next)
      : rows_(rows), end_(end), next_(next) {
    keep(start.theta, rows * columns, next.theta);
    if (next.g != nullptr) keep(start.g, rows * columns, next.g);
    keep(start.u, columns, next.u);
  }

  void column(Index j, bool accepted) const {
    next_.u[j] = accepted ? end_.u[j] : next_.u[j];
    if (rows_ <= short_column) {
      choose(end_.theta + j * rows_, accepted, next_.theta + j * rows_);
      if (next_.g != nullptr) choose(end_.g + j * rows_, accepted, next_.g + j * rows_);
    } else if (accepted) {
      std::copy_n(end_.theta + j * rows_, rows_, next_.theta + j * rows_);
      if (next_.g != nullptr) std::copy_n(end_.g + j * rows_, rows_, next_.g + j * rows_);
    }
  }

 private:
  /// Columns up to this length are chosen element by element: calling memmove costs more.
  static constexpr Index short_column = 8;

  static void keep(const double* start, Index count, double* next) {
    if (next != start) std::copy_n(start, count, next);
  }

  void choose(const double* from, bool accepted, double* to) const {
    for (Index i = 0; i < rows_; ++i) to[i] = accepted ? from[i] : to[i];
  }

  Index rows_;
  StateNumbers<const double> end_;
  StateNumbers<double> next_;
};

}  // namespace mixwell
