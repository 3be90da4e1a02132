// Learners (rules that update histories during a run), and fits of preconditioners to points.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/types.hpp>
#include <mixwell/base/workspace.hpp>
#include <mixwell/estimator.hpp>
#include <mixwell/graph/edge.hpp>
#include <mixwell/graph/graph.hpp>
#include <mixwell/graph/operation.hpp>
#include <mixwell/kernel.hpp>

#include <memory>
#include <optional>
#include <string>

namespace mixwell {

/// Nesterov's dual averaging of log eps towards a target acceptance probability, after Hoffman &
/// Gelman 2014, section 3.2. It is a diminishing adaptation with gamma = 0.05, t0 = 10, kappa =
/// 0.75 and shrinkage towards mu = log(10 eps0). The object itself has no state. A history variable
/// stores the state.
class MIXWELL_EXPORT DualAveraging {
 public:
  /// Rows of the history.
  enum RowName : Index { log_eps = 0, log_eps_bar = 1, h_bar = 2, count = 3, mu = 4, rows = 5 };

  DualAveraging(double initial_eps, double target);
  Forgets forgets() const noexcept { return Forgets::diminishing; }
  /// The averaged iterate log_eps_bar changes by about n^-rate in the n-th update.
  double rate() const noexcept { return 0.75; }
  /// The numbers before the first update, rows x 1.
  Eigen::VectorXd initial() const;
  /// Replaces the state (rows x w) by its update. The inputs (1 x w) are acceptance probabilities
  /// in [0, 1]. NaN counts as 0.
  void update(Batch state, ConstBatch inputs) const;
  /// Resets column j to the state before the first update, with the given log eps.
  static void restart(Batch state, Index j, double log_eps0) noexcept;

 private:
  double log_eps0_;
  double target_;
};

/// The body of an operation that fits an estimator to the points of a memory. It costs O(points) in
/// addition to the fit itself.
class MIXWELL_EXPORT FitToPoints {
 public:
  /// `displacements`: points 2k and 2k+1 are the ends of one displacement.
  FitToPoints(std::shared_ptr<const FittedPreconditioner> estimator, bool displacements,
              Index dimension);
  void operator()(Columns& block, edge::List<edge::PointPosition> points,
                  edge::List<edge::PointGradient> gradients,
                  edge::List<edge::PointPotential> potentials,
                  edge::Out<edge::Preconditioner> numbers) const;
  const Component& acts_for() const noexcept { return *estimator_; }

 private:
  std::shared_ptr<const FittedPreconditioner> estimator_;
  bool displacements_;
  Index dimension_;
};

/// The fit of an estimator to a site's memory. add() may be called several times, each time
/// with a different point `own` of the slot. Each fit then uses this point as the newest point of
/// the memory. All of these fits apply the same function.
class MIXWELL_EXPORT MemoryFit {
 public:
  /// Throws InputError if the estimator reads potentials and the memory has none.
  MemoryFit(const Site& site, std::shared_ptr<const FittedPreconditioner> estimator);
  /// Adds the operation `path/fit`. Throws InputError if `own` is given and the memory is a
  /// history.
  Edge<edge::Preconditioner> add(KernelGraph& graph, const std::string& path,
                                 const std::optional<EvaluatedPoint>& own = {});

 private:
  const Site& site_;
  std::shared_ptr<const FittedPreconditioner> estimator_;
  std::optional<SharedOperation<FitToPoints>> fit_;
};

/// An additional base class for a FittedPreconditioner whose number of rows does not depend on the
/// number of pairs. Mixwell can then carry its numbers from sweep to sweep, and update them with
/// each new pair.
class MIXWELL_EXPORT RecursivePreconditioner {
 public:
  virtual ~RecursivePreconditioner();
  /// The numbers of a column before the first pair, rows x 1.
  virtual Eigen::VectorXd initial(Index dimension) const = 0;
  /// Updates the numbers (rows x 1) with the pairs of consecutive points of one column, oldest
  /// first. A pair that fails the estimator's test changes nothing.
  virtual void update(const Memory& points, Batch numbers, Workspace& scratch) const = 0;
  /// If a setting of the estimator has no meaning for an endless sequence of pairs, returns an
  /// error text that gives the reason and the fix. Otherwise returns "".
  virtual std::string refuses_recursion() const { return {}; }
};
using RecursiveCurvature [[deprecated("renamed to RecursivePreconditioner")]] =
    RecursivePreconditioner;

}  // namespace mixwell
