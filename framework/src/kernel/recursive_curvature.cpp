// The register of a curvature that every step of an accepted trajectory updates.
// SPDX-License-Identifier: Apache-2.0
#include "kernel/recursive_curvature.hpp"

#include "kernel/point_history.hpp"

#include <mixwell/error.hpp>
#include <mixwell/operation.hpp>

#include <span>
#include <string>

namespace mixwell {
namespace {

/// Column j of a path into column j of the matrices, if the path was accepted.
void update_along(const RecursiveCurvature& recursive, const edge::Way& path, ConstBatch theta,
                  Batch state, Index j, Workspace& scratch) {
  const Index d = theta.rows();
  const Index points = path.rows() / path_rows(d, 1);
  const PointRows<const double> way(path.col(j).data(), d);
  if (!led_to(way, points, theta, j)) return;
  const Workspace::Frame frame(scratch);
  const double** from = scratch.objects<const double*>(2 * points);
  for (Index k = 0; k < points; ++k) {
    from[k] = way.theta(k);
    from[points + k] = way.g(k);
  }
  const std::span<const double* const> all(from, static_cast<std::size_t>(2 * points));
  const auto n = static_cast<std::size_t>(points);
  recursive.update({d, 1, all.first(n), all.last(n)}, state.col(j), scratch);
}

}  // namespace

RecursiveCurvature::~RecursiveCurvature() = default;

std::shared_ptr<const RecursiveCurvature> as_recursive(
    const std::shared_ptr<const Estimator>& estimator) {
  return std::dynamic_pointer_cast<const RecursiveCurvature>(estimator);
}

Variable add_matrix(KernelGraph& graph, const Site& site, const Estimator& estimator,
                    const RecursiveCurvature& recursive) {
  if (const std::string why = recursive.refuses_recursion(); !why.empty()) {
    throw InputError("estimator `" + estimator.name() + "` in `" + site.path +
                     "`, whose matrix every accepted step updates: " + why);
  }
  return graph.history(site.path + "/matrix", recursive.initial(graph[site.slot].rows),
                       Forgets::persistent, Scope::replicate, 0.0, "curvature");
}

void update_matrix(KernelGraph& graph, const Site& site, Variable matrix,
                   std::shared_ptr<const RecursiveCurvature> recursive, Value path) {
  if (!path) {
    throw InputError("kernel `" + site.path +
                     "` has no trajectory whose steps could update a matrix. Use a kernel that "
                     "follows trajectories with a fixed number of steps, or an estimator that is "
                     "fitted to points");
  }
  add_operation(
      graph, site.path + "/update-curvature", OperationKind::observe, {},
      acting_for(std::dynamic_pointer_cast<const Component>(recursive),
                 [recursive](Columns& block, edge::Register before, edge::PointPosition theta,
                             edge::Way way, edge::Out<edge::Register> state) {
                   edge::begin(before, state);
                   for (Index j = 0; j < state.cols(); ++j) {
                     update_along(*recursive, way, theta, state, j, block.scratch());
                   }
                 }),
      Edge<edge::Register>{graph.current(matrix)},
      Edge<edge::PointPosition>{graph.current(site.slot)}, Edge<edge::Way>{path},
      Write<edge::Register>{Output::next(matrix)});
}

void SiteCurvature::update(KernelGraph& graph, const Site& site, Value path) const {
  if (updated_.id < 0) return;  // the kernel's curvature is not fitted to points
  if (recursive_) return update_matrix(graph, site, updated_, recursive_, path);
  Site own = site;
  own.history.numbers = updated_;
  remember_points(graph, own, path);
}

}  // namespace mixwell
