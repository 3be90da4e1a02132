// One evaluation of a tuning: what a composition achieves on a budget of gradients.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/lab/manifest.hpp>

#include <nlohmann/json.hpp>

#include <atomic>
#include <string>

namespace mixwell::study {

/// Runs the composition in memory until its gradients (first evaluations, a pilot of 5 sweeps of
/// each phase, warm-up and sampling) reach `budget`; warm-up gets the share of the sweeps it has in
/// [run], but never more sweeps than there. Returns {"score", "gradients", "seconds", "min_ess",
/// "draws"}, and "reason" instead of a score where there is none. `objective`:
/// min_ess_per_gradient, mean_ess_per_gradient or min_ess_per_second of ess_bulk over the variables
/// of the posterior, cost being that of the whole evaluation. Keeps all draws in memory. Ends
/// early, with a result that means nothing, when `stop` is set.
nlohmann::ordered_json evaluate_trial(const Composition& composition, double budget,
                                      const std::string& objective, const std::atomic<bool>& stop);

/// {"gradients", "seconds"} that the whole run would cost, from two sweeps of each phase.
nlohmann::ordered_json estimate_cost(const Composition& composition);

}  // namespace mixwell::study
