// A curvature fitted to a memory and one point more.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace mixwell::metropolis_gaussian {

/// A point with its cached evaluation, as values of the graph.
struct Point {
  Value theta;
  Cached at;
};

/// Inputs: n points, then n gradients, then n potentials if the estimator reads them. Output: the
/// curvature's numbers.
class FitBody final : public Body {
 public:
  FitBody(std::shared_ptr<const Estimator> estimator, std::size_t points)
      : estimator_(std::move(estimator)), points_(points) {}

  void run(Block& block) const override {
    const std::size_t count = points_ * (estimator_->reads_potentials() ? 3 : 2);
    const double** from = block.scratch().objects<const double*>(static_cast<Index>(count));
    for (std::size_t k = 0; k < count; ++k) from[k] = block.in(k).data();
    const std::span<const double* const> all(from, count);
    estimator_->fit({block.in(0).rows(), block.columns(), all.first(points_),
                     all.subspan(points_, points_), all.subspan(2 * points_)},
                    block.out(0), block.scratch());
  }

 private:
  std::shared_ptr<const Estimator> estimator_;
  std::size_t points_;
};

/// The fit to a site's memory and one point more, which is its newest. It can be added for several
/// points, as the same function of each: all its operations share one body.
class FitWithPoint {
 public:
  FitWithPoint(const Site& site, std::shared_ptr<const Estimator> estimator)
      : memory_(site.memory),
        estimator_(std::move(estimator)),
        body_(std::make_shared<FitBody>(estimator_, memory_.points.size() + 1)) {
    if (site.fit_to == FitTo::history) {
      throw InputError("kernel `" + site.path +
                       "` fits its curvature to current points and its own, but here the memory is "
                       "a history; set own = false");
    }
    if (!estimator_->reads_potentials() || memory_.potentials.size() == memory_.points.size()) {
      return;
    }
    throw InputError("estimator `" + estimator_->name() +
                     "` sorts points by their potentials, and the memory of `" + site.path +
                     "` has none; use an estimator that takes them as they come (`sort = false`) "
                     "or another compositor");
  }

  Value add(KernelGraph& graph, const std::string& path, const Point& own) const {
    std::vector<Input> inputs;
    append(inputs, memory_.points, own.theta);
    append(inputs, memory_.gradients, own.at.g);
    if (estimator_->reads_potentials()) append(inputs, memory_.potentials, own.at.u);
    const auto points = static_cast<Index>(memory_.points.size()) + 1;
    return graph
        .add(path + "/fit", OperationKind::pure, estimator_->traits(), std::move(inputs),
             {Output::derived(path + "/curvature", estimator_->rows(graph[own.theta].rows, points),
                              estimator_->representation())},
             body_)
        .front();
  }

 private:
  static void append(std::vector<Input>& inputs, const std::vector<Value>& memory, Value own) {
    for (const Value v : memory) inputs.push_back({v, Role::parameter});
    inputs.push_back({own, Role::parameter});
  }

  MemoryValues memory_;
  std::shared_ptr<const Estimator> estimator_;
  std::shared_ptr<const Body> body_;
};

}  // namespace mixwell::metropolis_gaussian
