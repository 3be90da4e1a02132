// Parameters of the Riemannian kernel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "leapfrog.hpp"

#include <mixwell/plugin.hpp>

#include <cstdint>
#include <memory>
#include <optional>

namespace mixwell::riemannian {

struct Params {
  std::shared_ptr<const Oracle> oracle;
  StepSizeSettings step_size{.step_size = 0.5, .target_acceptance = {}};
  Steps steps{.count = 6};
  Tolerances tolerances;
  bool check_reversibility = true;

  void declare(Fields& fields) {
    fields.component("oracle", oracle).or_default("exact").help("where U and grad U come from");
    step_size.declare_with_target(fields);
    steps.declare(fields);
    fields.number("fixed_point_tolerance", tolerances.fixed_point)
        .above(0)
        .below(1)
        .help(
            "relative change at which the iterations of an implicit step end; above 1e-6 the map "
            "is not declared reversible, and the certificate says so");
    fields.integer("fixed_point_iterations", tolerances.iterations)
        .at_least(1)
        .at_most(1e6)
        .help("iterations after which an implicit step has failed: the proposal is rejected");
    fields.flag("check_reversibility", check_reversibility)
        .help(
            "follow every trajectory back, at twice the cost, and reject where it does not return; "
            "without it nothing shows that the map is reversible, and the certificate says so");
    fields.number("reversibility_tolerance", tolerances.reversibility)
        .above(0)
        .below(1)
        .only_with("check_reversibility", {"true"})
        .help("relative distance from the start that counts as returned; above 1e-4 likewise");
  }
};

}  // namespace mixwell::riemannian
