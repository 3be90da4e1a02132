// Parameters of the Hamiltonian kernel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <cmath>
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
  double step_size = 0.1;
  std::optional<double> target_acceptance;
  bool pool = false;
  std::optional<Interval> step_size_jitter;
  std::int64_t steps = 10;
  std::optional<Interval> steps_jitter;
  bool metropolis = true;
  std::string coupling = "mass";

  void declare(Fields& fields) {
    fields.component("integrator", integrator).or_default("leapfrog").help("scheme of the flow");
    fields.component("oracle", oracle).or_default("exact").help("where U and grad U come from");
    fields.component("estimator", estimator).or_default("identity").help("curvature of the flow");
    fields.number("step_size", step_size)
        .unit("time")
        .above(0)
        .help("eps of one step; with target_acceptance, where learning starts");
    fields.number("target_acceptance", target_acceptance)
        .above(0)
        .below(1)
        .help(
            "if given, eps is learnt in warm-up by dual averaging towards this mean acceptance "
            "probability, then frozen");
    fields.flag("pool", pool)
        .help(
            "one learnt eps for all replicates, from their mean acceptance, instead of one for "
            "each");
    fields.interval("step_size_jitter", step_size_jitter)
        .above(0)
        .help("[a, b]: each transition uses eps * U[a, b]");
    fields.integer("steps", steps).at_least(1).help("L, integrator steps in a transition");
    fields.interval("steps_jitter", steps_jitter)
        .at_least(1)
        .help(
            "[a, b]: L uniform on the whole numbers a..b for each transition and replicate, "
            "instead of steps");
    fields.flag("metropolis", metropolis)
        .help("accept or reject; false leaves the error of the integrator in the draws");
    fields.text("coupling", coupling)
        .one_of({"mass", "symmetric", "factor", "one-sided"})
        .help(
            "how the curvature enters theta' = A M^-1 p, p' = -A' grad U: (A, M) = (I, B), "
            "(H, I), (S, I), or A = H in theta' alone with M = I");
  }
};

inline Coupling coupling_from(const std::string& word) {
  static const std::map<std::string, Coupling> known = {{"mass", Coupling::mass},
                                                        {"symmetric", Coupling::symmetric},
                                                        {"factor", Coupling::factor},
                                                        {"one-sided", Coupling::one_sided}};
  return known.at(word);
}

inline void check_interval(const char* key, const std::optional<Interval>& interval, bool whole) {
  if (!interval) return;
  const auto [a, b] = *interval;
  if (a > b) throw ParameterError(key, "the low end is above the high end");
  if (whole && (a != std::floor(a) || b != std::floor(b))) {
    throw ParameterError(key, "both ends must be whole numbers");
  }
}

}  // namespace mixwell::hamiltonian
