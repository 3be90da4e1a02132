// A curvature fitted to the points that an update may see.
// SPDX-License-Identifier: Apache-2.0
#include "component/places.hpp"
#include "kernel/point_history.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/kernel/learner.hpp>

#include <fmt/format.h>

#include <span>
#include <utility>
#include <vector>

namespace mixwell {

FitToPoints::FitToPoints(std::shared_ptr<const FittedCurvature> estimator, bool displacements,
                         Index dimension)
    : estimator_(std::move(estimator)), displacements_(displacements), dimension_(dimension) {}

void FitToPoints::operator()(Columns& block, edge::List<edge::PointPosition> points,
                             edge::List<edge::PointGradient> gradients,
                             edge::List<edge::PointPotential> potentials,
                             edge::Out<edge::Curvature> numbers) const {
  const std::size_t n = points.size();
  const std::size_t count = n + gradients.size() + potentials.size();
  const double** from = block.scratch().objects<const double*>(static_cast<Index>(count));
  for (std::size_t k = 0; k < n; ++k) {
    from[k] = points[k].data();
    from[n + k] = gradients[k].data();
    if (potentials.size() > 0) from[2 * n + k] = potentials[k].data();
  }
  const std::span<const double* const> all(from, count);
  const Memory memory(dimension_, block.columns(), all.first(n), all.subspan(n, n),
                      all.subspan(2 * n), n > 0 ? points[0].divided_rows() : nullptr);
  estimator_->fit(displacements_ ? memory.as_displacements() : memory, numbers, block.scratch());
}

void require_points(const FittedCurvature& estimator, const Site& site, Index seen,
                    const std::string& with_history) {
  const Index fewest = estimator.fewest_points();
  if (seen >= fewest) return;
  const std::string wants =
      fmt::format("estimator `{}` is fitted to at least {} point{} of a memory", estimator.name(),
                  fewest, fewest == 1 ? "" : "s");
  if (site.fit_to == FitTo::memory && site.memory.points.empty())
    refuse_without_memory(
        estimator, {site.path, with_history},
        fmt::format("{}, and kernel `{}` has no memory here: its H would say nothing about the "
                    "target",
                    wants, site.path));
  throw InputError(
      fmt::format("{}, and for kernel `{}` there are {}: its H would say nothing about the "
                  "target. Use more slots, or a longer history",
                  wants, site.path, seen));
}

static void check_potentials(const FittedCurvature& estimator, const Site& site) {
  if (site.memory.potentials.size() == site.memory.points.size()) return;
  throw InputError(fmt::format(
      "estimator `{}` sorts points by their potentials, and the memory of `{}` has none; use an "
      "estimator that takes them as they come (`sort = false`) or another compositor",
      estimator.name(), site.path));
}

MemoryFit::MemoryFit(const Site& site, std::shared_ptr<const FittedCurvature> estimator)
    : site_(site), estimator_(std::move(estimator)) {
  if (estimator_->reads_potentials() && !site.memory.displacements)
    check_potentials(*estimator_, site);
}

Edge<edge::Curvature> MemoryFit::add(KernelGraph& graph, const std::string& path,
                                     const std::optional<EvaluatedPoint>& own) {
  if (own && site_.fit_to != FitTo::memory) {
    throw InputError(fmt::format(
        "kernel `{}` fits its curvature to current points and its own, but here the memory is a "
        "history; set own = false",
        site_.path));
  }
  const MemoryValues& memory = site_.memory;
  const Index d = graph[site_.slot].rows;
  const bool displacements = memory.displacements && !own;
  if (!fit_) fit_.emplace(FitToPoints(estimator_, displacements, d));
  auto points = edges<edge::PointPosition>(memory.points);
  auto gradients = edges<edge::PointGradient>(memory.gradients);
  std::vector<Edge<edge::PointPotential>> potentials;
  const bool sorts = estimator_->reads_potentials() && !displacements;
  if (sorts) check_potentials(*estimator_, site_);
  if (sorts) potentials = edges<edge::PointPotential>(memory.potentials);
  if (own) {
    points.push_back({own->theta});
    gradients.push_back({own->at.g});
    if (sorts) potentials.push_back({own->at.u});
  }
  require_points(*estimator_, site_, std::ssize(points), own ? "own = false" : "");
  Traits traits = estimator_->traits();
  traits.continuous = traits.continuous || (!own && memory.continuous);
  const Index rows = estimator_->rows(d, static_cast<Index>(points.size()));
  return fit_->add(graph, path + "/fit", OperationKind::pure, traits, points, gradients, potentials,
                   Write<edge::Curvature>{
                       Output::derived(path + "/curvature", rows, estimator_->representation())});
}

}  // namespace mixwell
