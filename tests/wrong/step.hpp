// The one operation that wrong kernels are made of which decide in their body.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "wrong/mistake.hpp"

#include <mixwell/plugin.hpp>

#include <memory>
#include <string>
#include <utility>

namespace wrong {

/// Inputs: theta, law, noise. Output: the next theta.
inline void add_step(mixwell::KernelGraph& graph, const mixwell::Site& site,
                     std::shared_ptr<const mixwell::Body> body) {
  using mixwell::Role;
  const std::string path = site.path + "/step";
  graph.add(path, mixwell::OperationKind::move, claims_exact(),
            {{graph.current(site.slot), Role::state},
             {site.target, Role::law},
             {graph.noise(path), Role::noise}},
            {mixwell::Output::next(site.slot)}, std::move(body));
}

/// Inputs: theta, law, U and gradient there, noise. Outputs: the next theta, its U and gradient.
inline void add_evaluated_step(mixwell::KernelGraph& graph, const mixwell::Site& site,
                               std::shared_ptr<const mixwell::Body> body) {
  using mixwell::Output;
  using mixwell::Role;
  const mixwell::Cached at = graph.evaluation(site.target, site.slot);
  const std::string path = site.path + "/step";
  graph.add(
      path, mixwell::OperationKind::move, claims_exact(),
      {{graph.current(site.slot), Role::state},
       {site.target, Role::law},
       {at.u, Role::evaluation},
       {at.g, Role::evaluation},
       {graph.noise(path), Role::noise}},
      {Output::next(site.slot), Output::evaluation(site.path + "/u", 1, site.target, site.slot),
       Output::evaluation(site.path + "/g", graph[site.slot].rows, site.target, site.slot)},
      std::move(body));
}

}  // namespace wrong
