// One evaluation of a tuning: what a composition achieves on a budget of gradients.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "study/task.hpp"

#include <mixwell/lab/stop_request.hpp>

#include <string>

namespace mixwell::study {

/// Runs the composition in memory until its gradients (first evaluations, a pilot of 5 sweeps of
/// each phase, warm-up and sampling) reach `budget`; warm-up gets the share of the sweeps it has in
/// [run], but never more sweeps than there. `objective`: min_ess_per_gradient,
/// mean_ess_per_gradient or min_ess_per_second of ess_bulk over the variables of the posterior,
/// cost being that of the whole evaluation. Keeps all draws in memory. Ends early, with a result
/// that means nothing, when `stop` is made.
TrialResult evaluate_trial(const Composition& composition, double budget,
                           const std::string& objective, const StopRequest& stop);

/// Of the whole run, from two sweeps of each phase.
CostEstimate estimate_cost(const Composition& composition);

}  // namespace mixwell::study
