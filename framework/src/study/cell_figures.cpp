// What a study keeps of a run beside its summary.
// SPDX-License-Identifier: Apache-2.0
#include "cell_figures.hpp"

#include "metrics.hpp"
#include "reference_errors.hpp"
#include "summary_vector.hpp"

#include <mixwell/diagnostics.hpp>
#include <mixwell/draws.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mixwell::study {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Name of the variable of the smallest ess_bulk, or "", and the largest rhat.
struct Worst {
  std::string name;
  double rhat = nan;
};

Worst worst_of(const Json& variables) {
  Worst worst;
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [name, row] : variables.items()) {
    const double ess = number_in(row, "ess_bulk");
    if (ess < least) {
      least = ess;
      worst.name = name;
    }
    worst.rhat = std::fmax(worst.rhat, number_in(row, "rhat"));
  }
  return worst;
}

double min_ess_mcse(const DrawsFile& file, const std::string& name, Index replicates) {
  for (const Column& column : file.columns()) {
    if (column.group != RecordGroup::posterior) continue;
    if (!name.starts_with(column.name)) continue;
    for (Index k = 0; k < column.size(); ++k) {
      if (element_name(column, k) == name)
        return diagnostics::ess_bulk_mcse(file.read(column, k), replicates);
    }
  }
  return nan;
}

}  // namespace

void add_figures(const std::string& folder, const std::string& summary_text,
                 const std::string& run_text, Json& answer) {
  const Json summary = Json::parse(summary_text);
  const Json run = Json::parse(run_text);
  const Json& sampler = summary.at("sampler");
  const RunCost cost = run_cost(run);
  const Worst worst = worst_of(summary.at("variables"));
  const DrawsFile file(folder);
  const double mcse = min_ess_mcse(file, worst.name, run.at("replicates").get<Index>());
  answer["min_ess"] = sampler.at("min_ess");
  answer["min_ess_mcse"] = finite_or_null(mcse);
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
  add_metric(answer, "max_rhat", worst.rhat);
  for (const char* const name : {"acceptance", "divergences", "ebfmi"})
    add_metric(answer, name, number_in(sampler, name));
  if (summary.contains("prediction"))
    add_metric(answer, "error_rate", number_in(summary.at("prediction"), "error_rate"));
}

}  // namespace mixwell::study
