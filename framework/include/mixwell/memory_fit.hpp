// A curvature fitted to the points that an update may see.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/edge.hpp>
#include <mixwell/export.hpp>
#include <mixwell/kernel.hpp>
#include <mixwell/operation.hpp>

#include <memory>
#include <optional>
#include <string>

namespace mixwell {

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

}  // namespace mixwell
