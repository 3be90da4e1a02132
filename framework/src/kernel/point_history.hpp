// Stores past points of a chain, and updates preconditioners from accepted trajectories.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/kernel.hpp>
#include <mixwell/kernel/learner.hpp>

#include <memory>
#include <string>

namespace mixwell {

/// One column of a history, or of a path that starts at `first`: points of U, theta and grad U.
template <class Number>
class PointRows {
 public:
  PointRows(Number* first, Index dimension) noexcept : first_(first), d_(dimension) {}
  Number* point(Index k) const noexcept { return first_ + path_rows(d_, k); }
  Number& u(Index k) const noexcept { return *point(k); }
  Number* theta(Index k) const noexcept { return point(k) + 1; }
  Number* g(Index k) const noexcept { return point(k) + 1 + d_; }

 private:
  Number* first_;
  Index d_;
};

/// The number of rows before the points of a history. This row is 1 once the history holds points.
inline constexpr Index history_header = 1;

/// Whether column j of a slot is at the end of this path. If not, the path was rejected.
bool led_to(const PointRows<const double>& way, Index points, ConstBatch theta, Index j);

/// Throws InputError if an estimator would be fitted to fewer points than it needs. The message
/// gives the fix.
/// `with_history`: a key that the kernel also needs if its memory is a history.
void require_points(const FittedPreconditioner& estimator, const Site& site, Index seen,
                    const std::string& with_history = {});

/// Adds the points that Site::remember names to Site::history, after the transition.
void remember_points(KernelGraph& graph, const Site& site, Value path);

/// Adds the history `SITE/matrix`, which starts with the estimator's numbers before any pair.
/// Throws InputError if a setting of the estimator has no meaning for an endless sequence of pairs.
Variable add_matrix(KernelGraph& graph, const Site& site, const Estimator& estimator,
                    const RecursivePreconditioner& recursive);

/// Adds the pairs along `path` (path_rows x w, including its start) after the transition, in the
/// columns whose slot is at the end of the path. Throws InputError if there is no path.
void update_matrix(KernelGraph& graph, const Site& site, Variable matrix,
                   std::shared_ptr<const RecursivePreconditioner> recursive, Value path);

}  // namespace mixwell
