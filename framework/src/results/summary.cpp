// A summary: one row per element of the posterior, and what the sampler did to get it.
// SPDX-License-Identifier: Apache-2.0
#include "results/directions_part.hpp"
#include "results/reference.hpp"
#include "results/row.hpp"
#include "results/vector.hpp"

#include <mixwell/error.hpp>
#include <mixwell/lab/diagnostics.hpp>
#include <mixwell/lab/summary.hpp>
#include <mixwell/parallel.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace mixwell {
namespace {

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
      rows[static_cast<std::size_t>(first + k)] = summary_row(
          element_name(column, first + k), draws.middleCols(k * chains, chains), settings);
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

std::optional<bool> is_reliable(double ess, Index chains) {
  if (std::isnan(ess)) return std::nullopt;
  return ess >= diagnostics::least_reliable_ess(chains);
}

/// Monte Carlo standard error of the smallest, as if its variable had been chosen beforehand.
double smallest_mcse(const DrawsFile& file, const Ess& ess) {
  if (ess.column == nullptr) return nan;
  return diagnostics::ess_bulk_mcse(file.read(*ess.column, ess.element), file.replicates(),
                                    file.coupled_chains());
}

SamplerSummary summarise_sampler(const DrawsFile& file, const Ess& ess, double gradients,
                                 double seconds) {
  const double divergences =
      statistic(file, "diverging", [](const Eigen::MatrixXd& x) { return x.sum(); });
  SamplerSummary found;
  found.acceptance =
      statistic(file, "acceptance_rate", [](const Eigen::MatrixXd& x) { return x.mean(); });
  if (!std::isnan(divergences)) found.divergences = std::llround(divergences);
  found.ebfmi = statistic(file, "energy", [](const Eigen::MatrixXd& x) {
    return diagnostics::ebfmi(x).minCoeff<Eigen::PropagateNaN>();
  });
  found.min_ess = ess.smallest;
  found.min_ess_mcse = smallest_mcse(file, ess);
  found.mean_ess = ess.mean();
  found.min_ess_per_gradient = ess.smallest / gradients;
  found.min_ess_per_second = ess.smallest / seconds;
  found.min_ess_reliable = is_reliable(ess.smallest, file.chains());
  return found;
}

/// A later definition of the same key takes the place of the earlier one.
void add_note(std::vector<EstimatorNote>& notes, const diagnostics::Definition& definition) {
  EstimatorNote note{definition.key, definition.name, definition.version, definition.agrees,
                     definition.source};
  const auto known = std::find_if(notes.begin(), notes.end(), [&](const EstimatorNote& other) {
    return other.key == note.key;
  });
  if (known == notes.end()) {
    notes.push_back(std::move(note));
  } else {
    *known = std::move(note);
  }
}

std::vector<EstimatorNote> estimator_notes(const RowSettings& settings,
                                           const SummaryOptions& options) {
  std::vector<EstimatorNote> notes;
  for (const diagnostics::Definition& definition : diagnostics::standard_definitions())
    add_note(notes, definition);
  if (settings.weighted())
    for (const diagnostics::Definition& definition : diagnostics::weighted_definitions())
      add_note(notes, definition);
  for (const diagnostics::PaperEstimator* const paper : settings.papers)
    add_note(notes, paper->definition);
  for (const diagnostics::Definition& definition : reference_definitions(options))
    add_note(notes, definition);
  return notes;
}

}  // namespace

const SummaryRow* Summary::find(const std::string& name) const noexcept {
  const auto found = std::find_if(variables.begin(), variables.end(),
                                  [&](const SummaryRow& row) { return row.name == name; });
  return found == variables.end() ? nullptr : &*found;
}

Summary summarise(const DrawsFile& draws, double gradients, double seconds,
                  const SummaryOptions& options) {
  if (!options.of.empty() && options.directions.empty() && options.reference.empty())
    throw InputError(
        "--of chooses the variables of --directions and --reference; give one of them as well");
  if (!options.amari.empty() && options.reference.empty())
    throw InputError("--amari compares a matrix with that of --reference; give that as well");
  const RowSettings settings{find_papers(options.ess),
                             options.unweighted ? Eigen::MatrixXd() : varying_weights(draws),
                             draws.coupled_chains()};
  Summary result;
  Ess ess;
  for (const Column& column : draws.columns()) {
    if (column.group != RecordGroup::posterior) continue;
    std::vector<SummaryRow> rows = summarise_elements(draws, column, settings);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      ess.add(rows[k].standard.ess_bulk, column, k);
      result.variables.push_back(std::move(rows[k]));
    }
  }
  result.sampler = summarise_sampler(draws, ess, gradients, seconds);
  result.weighted = settings.weighted();
  result.coupled = settings.together > 1;
  result.certificate = draws.certificate();
  if (!options.directions.empty())
    result.directions = summarise_directions(draws, options, settings);
  if (!options.reference.empty())
    result.reference = summarise_reference(draws, options, settings.weights);
  result.estimators = estimator_notes(settings, options);
  return result;
}

Summary summarise(const std::string& folder_or_file, const SummaryOptions& options) {
  const DrawsFile draws(folder_or_file);
  return summarise(draws, draws.attribute("gradients"), draws.attribute("sampling_time"), options);
}

}  // namespace mixwell
