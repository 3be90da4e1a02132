// What a study keeps of a run.
// SPDX-License-Identifier: Apache-2.0
#include "study/cell_figures.hpp"

#include "files/json.hpp"
#include "run/record.hpp"

#include <algorithm>
#include <cmath>

namespace mixwell::study {
namespace {

/// Of what an infinite one says nothing, such as what was had for no gradient.
double known(double figure) { return std::isfinite(figure) ? figure : unknown; }

bool lacks_rhat(const NotJudged& one) { return one.lacks("rhat"); }

/// Infinite where chains stand still at different places; unknown where that of some variable is.
double max_rhat(const Summary& summary) {
  if (std::any_of(summary.not_judged.begin(), summary.not_judged.end(), lacks_rhat)) return unknown;
  double most = unknown;
  for (const SummaryRow& row : summary.variables) most = std::fmax(most, row.standard.rhat);
  return most;
}

/// How many variables lack a figure.
double variables_not_judged(const Summary& summary) {
  std::int64_t count = 0;
  for (const NotJudged& one : summary.not_judged)
    if (!one.variable.empty()) count += 1 + one.more;
  return static_cast<double>(count);
}

std::vector<CellMetric> metrics(const Summary& summary, const RunRecord& run) {
  const SamplerSummary& sampler = summary.sampler;
  const double mcse = known(sampler.min_ess_mcse);
  const double mean_ess = known(sampler.mean_ess);
  std::vector<CellMetric> all = {
      {"mean_ess", mean_ess},
      {"min_ess_per_gradient", known(sampler.min_ess_per_gradient), mcse / run.gradients.sampling},
      {"mean_ess_per_second", mean_ess / run.seconds.sampling},
      {"min_ess_per_second", known(sampler.min_ess_per_second), mcse / run.seconds.sampling},
      {"max_rhat", max_rhat(summary)},
      {"not_judged", variables_not_judged(summary)},
      {"acceptance", known(sampler.acceptance)},
      {"ebfmi", known(sampler.ebfmi)}};
  if (sampler.divergences)
    all.push_back({"divergences", static_cast<double>(*sampler.divergences)});
  if (const auto& prediction = summary.prediction) {
    all.push_back({"test_error", known(prediction->error)});
    if (prediction->is_error_rate()) all.push_back({"error_rate", known(prediction->error)});
  }
  std::erase_if(all, [](const CellMetric& metric) { return std::isnan(metric.value); });
  return all;
}

}  // namespace

CellFigures cell_figures(const RunResult& result) {
  const RunRecord& run = result.record;
  const Summary& summary = result.summary.value();
  CellFigures figures;
  CellRow& row = figures.row;
  row.outcome = run.ended_by;
  row.certificate = to_string(result.certificate.now.certificate_class());
  row.min_ess = summary.sampler.min_ess;
  row.min_ess_mcse = summary.sampler.min_ess_mcse;
  row.gradients = run.gradients.sampling;
  row.seconds = run.seconds.sampling;
  row.warmup_gradients = run.gradients.warmup;
  row.warmup_seconds = run.seconds.warmup;
  row.draws = run.draws;
  row.draws_sha256 = run.draws_sha256;
  row.versions = json_text(run.versions);
  row.summary = summary_json(summary);
  row.run = json_text(run, 2) + "\n";
  figures.metrics = metrics(summary, run);
  return figures;
}

}  // namespace mixwell::study
