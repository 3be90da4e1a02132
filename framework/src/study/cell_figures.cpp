// What a study keeps of a run beside its summary.
// SPDX-License-Identifier: Apache-2.0
#include "study/cell_figures.hpp"

#include "files/json.hpp"
#include "study/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mixwell::study {
namespace {

/// Infinite figures are unknown ones in summary.json, and so they are here.
double known(double figure) {
  return std::isfinite(figure) ? figure : std::numeric_limits<double>::quiet_NaN();
}

double max_rhat(const std::vector<SummaryRow>& rows) {
  double most = std::numeric_limits<double>::quiet_NaN();
  for (const SummaryRow& row : rows) most = std::fmax(most, known(row.standard.rhat));
  return most;
}

}  // namespace

void add_figures(const Summary& summary, const RunRecord& run, Json& answer) {
  const SamplerSummary& sampler = summary.sampler;
  const double mcse = known(sampler.min_ess_mcse);
  const double mean_ess = known(sampler.mean_ess);
  answer["min_ess"] = finite_or_null(sampler.min_ess);
  answer["min_ess_mcse"] = finite_or_null(sampler.min_ess_mcse);
  answer["gradients"] = finite_or_null(run.gradients.sampling);
  answer["seconds"] = finite_or_null(run.seconds.sampling);
  answer["warmup_gradients"] = finite_or_null(run.gradients.warmup);
  answer["warmup_seconds"] = finite_or_null(run.seconds.warmup);
  answer["draws"] = run.draws;
  answer["draws_sha256"] = run.draws_sha256;
  answer["outcome"] = to_string(run.ended_by);
  answer["metrics"] = Json::object();
  add_metric(answer, "mean_ess", mean_ess);
  add_metric(answer, "min_ess_per_gradient", known(sampler.min_ess_per_gradient),
             mcse / run.gradients.sampling);
  add_metric(answer, "mean_ess_per_second", mean_ess / run.seconds.sampling);
  add_metric(answer, "min_ess_per_second", known(sampler.min_ess_per_second),
             mcse / run.seconds.sampling);
  add_metric(answer, "max_rhat", max_rhat(summary.variables));
  add_metric(answer, "acceptance", known(sampler.acceptance));
  if (sampler.divergences)
    add_metric(answer, "divergences", static_cast<double>(*sampler.divergences));
  add_metric(answer, "ebfmi", known(sampler.ebfmi));
  if (summary.prediction) add_metric(answer, "error_rate", known(summary.prediction->error_rate));
}

}  // namespace mixwell::study
