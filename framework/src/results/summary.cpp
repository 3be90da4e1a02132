// summary.json: one row per element of the posterior, and what the sampler did to get it.
// SPDX-License-Identifier: Apache-2.0
#include "files/json.hpp"
#include "results/directions_part.hpp"
#include "results/reference.hpp"
#include "results/row.hpp"
#include "results/vector.hpp"

#include <mixwell/error.hpp>
#include <mixwell/lab/diagnostics.hpp>
#include <mixwell/lab/draws.hpp>
#include <mixwell/parallel.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace mixwell {
namespace {

using Json = SummaryJson;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

PaperEstimators find_papers(const std::vector<std::string>& ids) {
  PaperEstimators papers;
  for (const std::string& id : ids)
    papers.push_back(&diagnostics::find_paper_estimator(id, "--ess " + id));
  return papers;
}

/// One per element, in order.
std::vector<SummaryRow> summarise_elements(const DrawsFile& file, const Column& column,
                                           const RowSettings& settings) {
  std::vector<SummaryRow> rows(static_cast<std::size_t>(column.size()));
  const Index piece = file.elements_at_once(column);
  const Index chains = file.chains();
  for (Index first = 0; first < column.size(); first += piece) {
    const Index count = std::min(piece, column.size() - first);
    const Eigen::MatrixXd draws = file.read(column, first, count);
    parallel_for(count, [&](Index k) {
      rows[static_cast<std::size_t>(first + k)] =
          summary_row(draws.middleCols(k * chains, chains), settings);
    });
  }
  return rows;
}

/// Smallest and mean effective sample size of the variables that have one; NaN if none has.
struct Ess {
  double smallest = nan;
  const Column* column = nullptr;  ///< that the smallest is of, and its element
  Index element = 0;
  double sum = 0.0;
  double count = 0.0;

  void add(double ess, const Column& of, std::size_t k) {
    if (!std::isfinite(ess)) return;
    if (column == nullptr || ess < smallest) {
      smallest = ess;
      column = &of;
      element = static_cast<Index>(k);
    }
    sum += ess;
    ++count;
  }
  double mean() const { return sum / count; }
};

/// f(draws x chains) of a scalar of sample_stats; NaN where it is not there or has no draws.
template <class F>
double statistic(const DrawsFile& file, const char* name, F f) {
  if (!file.has(RecordGroup::sample_stats, name) || file.draws() == 0) return nan;
  return f(file.read({RecordGroup::sample_stats, name, {}, RecordType::real, {}, {}}, 0));
}

Json is_reliable(double ess, Index chains) {
  return std::isnan(ess) ? Json(nullptr) : Json(ess >= diagnostics::least_reliable_ess(chains));
}

/// Monte Carlo standard error of the smallest, as if its variable had been chosen beforehand.
double smallest_mcse(const DrawsFile& file, const Ess& ess) {
  if (ess.column == nullptr) return nan;
  return diagnostics::ess_bulk_mcse(file.read(*ess.column, ess.element), file.replicates(),
                                    file.coupled_chains());
}

Json sampler_json(const DrawsFile& file, const Ess& ess, double gradients, double seconds) {
  const double acceptance =
      statistic(file, "acceptance_rate", [](const Eigen::MatrixXd& x) { return x.mean(); });
  const double divergences =
      statistic(file, "diverging", [](const Eigen::MatrixXd& x) { return x.sum(); });
  const double ebfmi = statistic(file, "energy", [](const Eigen::MatrixXd& x) {
    return diagnostics::ebfmi(x).minCoeff<Eigen::PropagateNaN>();
  });
  const Json count = std::isnan(divergences) ? Json(nullptr) : Json(std::llround(divergences));
  return {{"acceptance", number_or_null(acceptance)},
          {"divergences", count},
          {"ebfmi", number_or_null(ebfmi)},
          {"min_ess", number_or_null(ess.smallest)},
          {"min_ess_mcse", number_or_null(smallest_mcse(file, ess))},
          {"mean_ess", number_or_null(ess.mean())},
          {"min_ess_per_gradient", number_or_null(ess.smallest / gradients)},
          {"min_ess_per_second", number_or_null(ess.smallest / seconds)},
          {"min_ess_reliable", is_reliable(ess.smallest, file.chains())}};
}

Json definition_json(const diagnostics::Definition& definition) {
  Json json = {{"name", definition.name}, {"version", definition.version}};
  if (*definition.agrees != '\0') json["agrees_with"] = definition.agrees;
  json["source"] = definition.source;
  return json;
}

Json estimators_json(const RowSettings& settings, const SummaryOptions& options) {
  Json json;
  for (const diagnostics::Definition& definition : diagnostics::standard_definitions())
    json[definition.key] = definition_json(definition);
  if (settings.weighted())
    for (const diagnostics::Definition& definition : diagnostics::weighted_definitions())
      json[definition.key] = definition_json(definition);
  for (const diagnostics::PaperEstimator* const paper : settings.papers)
    json[paper->definition.key] = definition_json(paper->definition);
  for (const diagnostics::Definition& definition : reference_definitions(options))
    json[definition.key] = definition_json(definition);
  return json;
}

}  // namespace

std::string summary_json(const DrawsFile& draws, double gradients, double seconds,
                         const SummaryOptions& options) {
  if (!options.of.empty() && options.directions.empty() && options.reference.empty())
    throw InputError(
        "--of chooses the variables of --directions and --reference; give one of them as well");
  if (!options.amari.empty() && options.reference.empty())
    throw InputError("--amari compares a matrix with that of --reference; give that as well");
  const RowSettings settings{find_papers(options.ess),
                             options.unweighted ? Eigen::MatrixXd() : varying_weights(draws),
                             draws.coupled_chains()};
  Json::object_t variables;  // a vector of pairs: append, as looking for each name is quadratic
  Ess ess;
  for (const Column& column : draws.columns()) {
    if (column.group != RecordGroup::posterior) continue;
    const std::vector<SummaryRow> rows = summarise_elements(draws, column, settings);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      variables.emplace_back(element_name(column, static_cast<Index>(k)),
                             to_json(rows[k], settings.papers, draws.draws(), draws.chains()));
      ess.add(rows[k].standard.ess_bulk, column, k);
    }
  }
  Json result;
  result["variables"] = std::move(variables);
  result["sampler"] = sampler_json(draws, ess, gradients, seconds);
  result["weighted"] = settings.weighted();
  result["joint"] = settings.together > 1 ? "coupled" : "product";
  if (const std::string found = draws.certificate(); !found.empty()) result["certificate"] = found;
  if (!options.directions.empty()) result["directions"] = directions_json(draws, options, settings);
  if (!options.reference.empty())
    result["reference"] = reference_json(draws, options, settings.weights);
  result["estimators"] = estimators_json(settings, options);
  return json_text(result, 2) + "\n";
}

}  // namespace mixwell
