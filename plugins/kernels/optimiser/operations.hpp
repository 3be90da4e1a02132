// The operations that optimisers are made of.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mixwell::optimiser {

/// Inputs: law, theta. Output: the Hessian of each column, d * d numbers.
class HessianBody final : public Body {
 public:
  void run(Block& block) const override {
    const ConstMatrixMap theta = block.in(1);
    const Index d = theta.rows();
    const Law law = block.law(0);
    for (Index j = 0; j < theta.cols(); ++j) {
      const ColumnLaw column(law, j, block.scratch());
      MatrixMap(block.out(0).col(j).data(), d, d) = hessian(column, theta.col(j));
      block.count_gradients(0, column.gradients());
    }
  }
};

/// Adds the move of an optimiser, which reads theta, law, u, g and writes theta, u, g, the norm of
/// the gradient and `flag`, a number that is 0 or 1. Returns what it wrote.
inline std::vector<Value> add_move(KernelGraph& graph, const Site& site, Value law,
                                   const std::string& name, const std::string& flag,
                                   std::shared_ptr<const Body> body) {
  const std::string& path = site.path;
  const Cached at = graph.evaluation(law, site.slot);
  Traits traits;
  traits.optimises = true;
  return graph.add(
      path + "/" + name, OperationKind::move, traits,
      {{graph.current(site.slot), Role::state},
       {law, Role::law},
       {at.u, Role::evaluation},
       {at.g, Role::evaluation}},
      {Output::next(site.slot), Output::evaluation(path + "/u", 1, law, site.slot),
       Output::evaluation(path + "/g", graph[site.slot].rows, law, site.slot),
       Output::derived(path + "/gradient-norm", 1), Output::derived(path + "/" + flag, 1)},
      std::move(body));
}

/// Records the Hessian of the law at the slot's newest version, in recorded sweeps alone.
inline void record_hessian(KernelGraph& graph, const Site& site, Value law) {
  const Index d = graph[site.slot].rows;
  const Value numbers =
      graph
          .add(site.path + "/hessian", OperationKind::pure, {},
               {{law, Role::law}, {graph.current(site.slot), Role::parameter}},
               {Output::derived(site.path + "/hessian", d * d)}, std::make_shared<HessianBody>())
          .front();
  graph.record({.group = RecordGroup::sample_stats,
                .name = recorded_name(site, "hessian"),
                .shape = {d, d},
                .unit = "nats / theta^2",
                .help = "second derivatives of U, by central differences of its gradient",
                .slot = site.number,
                .value = numbers});
}

}  // namespace mixwell::optimiser
