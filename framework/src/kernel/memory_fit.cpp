// A preconditioner that is fitted to a memory (points with their gradients).
// SPDX-License-Identifier: Apache-2.0
#include "component/locations.hpp"
#include "kernel/point_history.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/kernel/learner.hpp>

#include <fmt/format.h>

#include <span>
#include <utility>
#include <vector>

namespace mixwell {

FitToPoints::FitToPoints(std::shared_ptr<const FittedPreconditioner> estimator, bool displacements,
                         Index dimension)
    : estimator_(std::move(estimator)), displacements_(displacements), dimension_(dimension) {}

void FitToPoints::operator()(Columns& block, edge::List<edge::PointPosition> points,
                             edge::List<edge::PointGradient> gradients,
                             edge::List<edge::PointPotential> potentials,
                             edge::Out<edge::Preconditioner> numbers) const {
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

void require_points(const FittedPreconditioner& estimator, const Site& site, Index seen,
                    const std::string& with_history) {
  const Index fewest = estimator.fewest_points();
  if (seen >= fewest) return;
  const std::string wants = fmt::format("estimator `{}` needs a memory with at least {} point{}",
                                        estimator.name(), fewest, fewest == 1 ? "" : "s");
  if (site.fit_to == FitTo::memory && site.memory.points.empty())
    refuse_without_memory(
        estimator, {site.path, with_history},
        fmt::format("{}, but kernel `{}` has no memory. Without these points, the "
                    "preconditioner H would not depend on the target density",
                    wants, site.path));
  throw InputError(
      fmt::format("{}, but the memory of kernel `{}` has only {}. With so few points, the "
                  "preconditioner H would not depend on the target density. Use more slots, or a "
                  "longer history.",
                  wants, site.path, seen));
}

static void check_potentials(const FittedPreconditioner& estimator, const Site& site) {
  if (site.memory.potentials.size() == site.memory.points.size()) return;
  throw InputError(
      fmt::format("estimator `{}` sorts points by their potentials, but the memory of `{}` has "
                  "no potentials. Use an estimator that does not sort points (`sort = false`), "
                  "or a compositor whose memory has potentials.",
                  estimator.name(), site.path));
}

MemoryFit::MemoryFit(const Site& site, std::shared_ptr<const FittedPreconditioner> estimator)
    : site_(site), estimator_(std::move(estimator)) {
  if (estimator_->reads_potentials() && !site.memory.displacements)
    check_potentials(*estimator_, site);
}

Edge<edge::Preconditioner> MemoryFit::add(KernelGraph& graph, const std::string& path,
                                          const std::optional<EvaluatedPoint>& own) {
  if (own && site_.fit_to != FitTo::memory) {
    throw InputError(fmt::format(
        "kernel `{}` fits its preconditioner to its own current point and to a memory. This memory "
        "must hold current points, but here it holds earlier points (a history). Set own = false.",
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
                   Write<edge::Preconditioner>{
                       Output::derived(path + "/curvature", rows, estimator_->representation())});
}

}  // namespace mixwell
