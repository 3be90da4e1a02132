// A fitted curvature that pairs of points can also move one after another, for ever.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/estimator.hpp>
#include <mixwell/export.hpp>
#include <mixwell/types.hpp>
#include <mixwell/workspace.hpp>

#include <memory>
#include <string>

namespace mixwell {

/// What a FittedCurvature offers beside its fit if its numbers have one length whatever number of
/// pairs they are made from: the numbers are carried from sweep to sweep, and each pair changes
/// them.
class MIXWELL_EXPORT RecursiveCurvature {
 public:
  virtual ~RecursiveCurvature();
  /// The numbers of a column before any pair, rows x 1.
  virtual Eigen::VectorXd initial(Index dimension) const = 0;
  /// Enters the pairs of neighbours of one column's points, oldest first, as they come: numbers is
  /// rows x 1. A pair that fails the estimator's test changes nothing.
  virtual void update(const Memory& points, Batch numbers, Workspace& scratch) const = 0;
  /// Which of its settings has no meaning for pairs that come for ever, with the cure, or "".
  virtual std::string refuses_recursion() const { return {}; }
};

/// The same estimator where it is one, else null.
MIXWELL_EXPORT std::shared_ptr<const RecursiveCurvature> as_recursive(
    const std::shared_ptr<const Estimator>& estimator);

}  // namespace mixwell
