// How a random walk decides: the wiring that wrong walks share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace wrong {

/// Inputs and outputs of a body that decides.
struct Decision {
  enum In : std::size_t { theta, theta_end, law, u, g, u_end, g_end, chance };
  enum Out : std::size_t { next_theta, next_u, next_g };
};

/// Adds the accept: `end` is what was proposed, its U and its gradient; `chance` a noise, or what
/// stands in its place.
inline void add_decision(mixwell::KernelGraph& graph, const mixwell::Site& site, mixwell::Value law,
                         const std::vector<mixwell::Value>& end, mixwell::Input chance,
                         std::shared_ptr<const mixwell::Body> body) {
  using mixwell::Output;
  using mixwell::Role;
  const mixwell::Cached at = graph.evaluation(law, site.slot);
  const mixwell::Index d = graph[site.slot].rows;
  graph.add(site.path + "/accept", mixwell::OperationKind::accept, {},
            {{graph.current(site.slot), Role::state},
             {end[0], Role::proposed},
             {law, Role::law},
             {at.u, Role::evaluation},
             {at.g, Role::evaluation},
             {end[1], Role::evaluation},
             {end[2], Role::evaluation},
             chance},
            {Output::next(site.slot), Output::evaluation(site.path + "/u", 1, law, site.slot),
             Output::evaluation(site.path + "/g", d, law, site.slot)},
            std::move(body));
}

}  // namespace wrong
