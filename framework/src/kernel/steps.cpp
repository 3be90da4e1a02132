// The number of steps of each transition.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/operation.hpp>
#include <mixwell/step_size.hpp>
#include <mixwell/steps.hpp>

#include <cmath>

namespace mixwell {

void Steps::declare(Fields& fields) {
  fields.integer("steps", count)
      .at_least(1)
      .at_most(most)
      .help("L, integrator steps in a transition");
  fields.interval("steps_jitter", jitter)
      .at_least(1)
      .at_most(most)
      .help(
          "[a, b]: L uniform on the whole numbers a..b for each transition and replicate, "
          "instead of steps");
}

void Steps::check() const { check_interval("steps_jitter", jitter, true); }

Edge<edge::StepCount> Steps::add(KernelGraph& graph, const Site& site) const {
  const std::string name = site.path + "/steps";
  const Write<edge::StepCount> write{Output::derived(site.path + "/L", 1)};
  if (!jitter) {
    return add_operation(
        graph, name, OperationKind::pure, {},
        [n = static_cast<double>(count)](edge::Out<edge::StepCount> L) { L.setConstant(n); },
        write);
  }
  return add_operation(
      graph, name, OperationKind::pure, {},
      [range = *jitter](edge::Noise noise, edge::Out<edge::StepCount> L) {
        const auto [a, b] = range;
        noise.uniforms(L);
        L = (a + ((b - a + 1.0) * L.array()).floor()).min(b);
      },
      Edge<edge::Noise>{graph.noise(name)}, write);
}

}  // namespace mixwell
