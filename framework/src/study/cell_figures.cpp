// What a study keeps of a run beside its summary.
// SPDX-License-Identifier: Apache-2.0
#include "study/cell_figures.hpp"

#include "files/json.hpp"
#include "study/metrics.hpp"
#include "study/reference_errors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mixwell::study {
namespace {

double max_rhat(const Json& variables) {
  double most = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [name, row] : variables.items()) most = std::fmax(most, number_in(row, "rhat"));
  return most;
}

}  // namespace

void add_figures(const std::string& summary_text, const std::string& run_text, Json& answer) {
  const Json summary = parse_json(summary_text);
  const Json run = parse_json(run_text);
  const Json& sampler = summary.at("sampler");
  const RunCost cost = run_cost(run);
  const double mcse = number_in(sampler, "min_ess_mcse");
  answer["min_ess"] = sampler.at("min_ess");
  answer["min_ess_mcse"] = sampler.at("min_ess_mcse");
  answer["gradients"] = finite_or_null(cost.gradients);
  answer["seconds"] = finite_or_null(cost.seconds);
  answer["warmup_gradients"] = finite_or_null(cost.warmup_gradients);
  answer["warmup_seconds"] = finite_or_null(cost.warmup_seconds);
  answer["draws"] = run.at("draws");
  answer["draws_sha256"] = run.at("draws_sha256");
  answer["outcome"] = run.value("ended_by", "draws");
  answer["metrics"] = Json::object();
  add_metric(answer, "mean_ess", number_in(sampler, "mean_ess"));
  add_metric(answer, "min_ess_per_gradient", number_in(sampler, "min_ess_per_gradient"),
             mcse / cost.gradients);
  add_metric(answer, "mean_ess_per_second", number_in(sampler, "mean_ess") / cost.seconds);
  add_metric(answer, "min_ess_per_second", number_in(sampler, "min_ess_per_second"),
             mcse / cost.seconds);
  add_metric(answer, "max_rhat", max_rhat(summary.at("variables")));
  for (const char* const name : {"acceptance", "divergences", "ebfmi"})
    add_metric(answer, name, number_in(sampler, name));
  if (summary.contains("prediction"))
    add_metric(answer, "error_rate", number_in(summary.at("prediction"), "error_rate"));
}

}  // namespace mixwell::study
