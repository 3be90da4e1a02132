// What learns while a run goes on: rules for histories, and fits of curvatures to them or to the
// points of a memory.
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
/// Gelman 2014, section 3.2: diminishing adaptation with gamma = 0.05, t0 = 10, kappa = 0.75 and
/// shrinkage towards mu = log(10 eps0). Stateless: the state is the register.
class MIXWELL_EXPORT DualAveraging {
 public:
  /// Rows of the register.
  enum RowName : Index { log_eps = 0, log_eps_bar = 1, h_bar = 2, count = 3, mu = 4, rows = 5 };

  DualAveraging(double initial_eps, double target);
  Forgets forgets() const noexcept { return Forgets::diminishing; }
  /// The averaged iterate, log_eps_bar, changes by about n^-rate in the n-th update.
  double rate() const noexcept { return 0.75; }
  /// The numbers before anything was seen, rows x 1.
  Eigen::VectorXd initial() const;
  /// state (rows x w) is replaced by its update with inputs: 1 x w acceptance probabilities in
  /// [0, 1]; NaN counts as 0.
  void update(Batch state, ConstBatch inputs) const;
  /// Column j as if nothing had been seen, from the given log eps.
  static void restart(Batch state, Index j, double log_eps0) noexcept;

 private:
  double log_eps0_;
  double target_;
};

/// What an estimator's fit to a memory does in an operation. O(points) before the fit.
class MIXWELL_EXPORT FitToPoints {
 public:
  /// `displacements`: points 2 k and 2 k + 1 belong together.
  FitToPoints(std::shared_ptr<const FittedCurvature> estimator, bool displacements,
              Index dimension);
  void operator()(Columns& block, edge::List<edge::PointPosition> points,
                  edge::List<edge::PointGradient> gradients,
                  edge::List<edge::PointPotential> potentials,
                  edge::Out<edge::Curvature> numbers) const;
  const Component& acts_for() const noexcept { return *estimator_; }

 private:
  std::shared_ptr<const FittedCurvature> estimator_;
  bool displacements_;
  Index dimension_;
};

/// The fit to a site's memory. It can be added for several own points, each of them then the newest
/// of the memory: as the same function of each.
class MIXWELL_EXPORT MemoryFit {
 public:
  /// Throws InputError for an estimator that sorts points whose potentials the memory has not.
  MemoryFit(const Site& site, std::shared_ptr<const FittedCurvature> estimator);
  /// Adds `path/fit`. Throws InputError where there is an own point and the memory is a history.
  Edge<edge::Curvature> add(KernelGraph& graph, const std::string& path,
                            const std::optional<EvaluatedPoint>& own = {});

 private:
  const Site& site_;
  std::shared_ptr<const FittedCurvature> estimator_;
  std::optional<SharedOperation<FitToPoints>> fit_;
};

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

}  // namespace mixwell
