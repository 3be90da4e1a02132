// Past points of a chain in a register, and curvatures that they update.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/kernel.hpp>
#include <mixwell/kernel/learner.hpp>

#include <memory>
#include <string>

namespace mixwell {

/// One column of a register, or of a path if it starts at `first`: points of U, theta and grad U.
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

/// The register's first row is 1 once it holds points.
inline constexpr Index history_header = 1;

/// Whether column j of a slot is where this path led: otherwise the path was rejected.
bool led_to(const PointRows<const double>& way, Index points, ConstBatch theta, Index j);

/// Throws InputError for an estimator that is to be fitted to fewer points than it needs, with the
/// cure; `with_history`: a key that the kernel needs besides where its memory is a history.
void require_points(const FittedCurvature& estimator, const Site& site, Index seen,
                    const std::string& with_history = {});

/// After the transition: adds what Site::remember says to Site::history.
void remember_points(KernelGraph& graph, const Site& site, Value path);

/// Adds the register `SITE/matrix`: the numbers before any pair. Throws InputError where a setting
/// of the estimator has no meaning for pairs that come for ever.
Variable add_matrix(KernelGraph& graph, const Site& site, const Estimator& estimator,
                    const RecursiveCurvature& recursive);

/// After the transition: the pairs along `path` (path_rows x w, its start included) in the columns
/// whose slot is at its end. Throws InputError where there is no path.
void update_matrix(KernelGraph& graph, const Site& site, Variable matrix,
                   std::shared_ptr<const RecursiveCurvature> recursive, Value path);

}  // namespace mixwell
