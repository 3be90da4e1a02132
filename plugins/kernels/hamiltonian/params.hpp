// Parameters of the Hamiltonian kernel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../shared/steps.hpp"

#include <mixwell/plugin.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace mixwell::hamiltonian {

struct Params {
  std::shared_ptr<const Integrator> integrator;
  std::shared_ptr<const Oracle> oracle;
  std::shared_ptr<const Estimator> estimator;
  StepSizeSettings step_size;
  std::optional<double> learning_rate{};
  Steps steps;
  double persistence = 0.0;
  std::int64_t refresh_every = 1;
  bool metropolis = true;
  std::string ratio = "oracle";
  std::string coupling = "mass";

  void declare(Fields& fields) {
    fields.component("integrator", integrator).or_default("leapfrog").help("scheme of the flow");
    fields.component("oracle", oracle).or_default("exact").help("where U and grad U come from");
    fields.component("estimator", estimator).or_default("identity").help("curvature of the flow");
    fields.number("target_acceptance", step_size.target_acceptance)
        .above(0)
        .below(1)
        .help(
            "if given, eps is learnt in warm-up by dual averaging towards this mean acceptance "
            "probability, then frozen");
    step_size.declare(fields);
    fields.number("learning_rate", learning_rate)
        .unit("time^2")
        .above(0)
        .instead_of("step_size")
        .help("eta = eps^2, as stochastic-gradient samplers with a velocity v = eps p write it");
    steps.declare(fields);
    fields.number("persistence", persistence)
        .at_least(0)
        .at_most(1)
        .help(
            "of the momentum from sweep to sweep: p <- persistence p + sqrt(1 - persistence^2) z, "
            "and -p after a rejection; 0 redraws it, 1 never does. Wrong where its law changes "
            "between sweeps (coupling mass with a curvature of other slots)");
    fields.integer("refresh_every", refresh_every)
        .at_least(1)
        .at_most(1e12)
        .help("redraw the momentum in one of so many transitions, and carry it through the others");
    fields.flag("metropolis", metropolis)
        .help("accept or reject; false leaves the error of the integrator in the draws");
    fields.text("ratio", ratio)
        .one_of({"oracle", "target"})
        .help(
            "whose U the acceptance ratio has: the oracle's, as the dynamics; or the model's own, "
            "which costs one exact evaluation a transition and keeps pi whatever the oracle is");
    fields.text("coupling", coupling)
        .one_of({"mass", "symmetric", "factor", "one-sided"})
        .help(
            "how the curvature enters theta' = A M^-1 p, p' = -A' grad U: (A, M) = (I, B), "
            "(H, I), (S, I), or A = H in theta' alone with M = I");
  }
};

inline Redraw redraw_of(const Params& params) { return {params.persistence, params.refresh_every}; }

inline Coupling coupling_from(const std::string& word) {
  static const std::map<std::string, Coupling> known = {{"mass", Coupling::mass},
                                                        {"symmetric", Coupling::symmetric},
                                                        {"factor", Coupling::factor},
                                                        {"one-sided", Coupling::one_sided}};
  return known.at(word);
}

}  // namespace mixwell::hamiltonian
