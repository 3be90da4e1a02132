// Computes a summary: one row per element of the posterior, and statistics of the sampler.
// SPDX-License-Identifier: Apache-2.0
#include "base/acceptance_rate.hpp"
#include "base/not_available.hpp"
#include "files/whole_file.hpp"
#include "results/draws_summary.hpp"
#include "results/element_names.hpp"
#include "results/reference.hpp"
#include "results/row.hpp"
#include "results/table.hpp"
#include "results/vector.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/lab/diagnostics.hpp>
#include <mixwell/lab/summary.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace mixwell {
namespace {

PaperEstimators find_papers(const std::vector<std::string>& ids) {
  PaperEstimators papers;
  for (const std::string& id : ids)
    papers.push_back(&diagnostics::find_paper_estimator(id, "--ess " + id));
  return papers;
}

/// f(draws x chains) of a scalar in sample_stats; NaN if it is missing or has no draws.
template <class F>
double statistic(const DrawsFile& file, const std::string& name, F f) {
  const auto x = recorded_statistic(file, name);
  return x ? f(*x) : not_available;
}

std::optional<std::int64_t> count_of(const DrawsFile& file, const std::string& flag) {
  const double sum = statistic(file, flag, [](const Eigen::MatrixXd& x) { return x.sum(); });
  if (std::isnan(sum)) return std::nullopt;
  return std::llround(sum);
}

/// The mean without NaN. A kernel records NaN for transitions in which it did not run.
double mean_where_it_ran(const Eigen::MatrixXd& x) {
  const auto there = !x.array().isNaN();
  return there.select(x.array(), 0.0).sum() / static_cast<double>(there.count());
}

/// The share of transitions of a kernel that reached the largest depth; nothing if the kernel has
/// no depth. `prefix`: the prefix of the kernel's statistics.
std::optional<double> share_at_max_depth(const DrawsFile& file, const std::string& prefix) {
  const auto reached = recorded_statistic(file, prefix + "reached_max_treedepth");
  const auto rate = recorded_statistic(file, prefix + acceptance_rate);
  if (!reached) return std::nullopt;
  const Index idle = rate ? rate->array().isNaN().count() : 0;  // transitions without this kernel
  if (idle == reached->size()) return std::nullopt;
  return reached->sum() / static_cast<double>(reached->size() - idle);
}

/// Figures of every kernel that has a NAME_acceptance_rate.
std::vector<KernelFigures> kernel_figures(const DrawsFile& file) {
  std::vector<KernelFigures> found;
  for (const Column& column : file.columns()) {
    if (column.group != RecordGroup::sample_stats) continue;
    const std::string name(kernel_of_acceptance_rate(column.name));
    if (name.empty()) continue;
    found.push_back({name, statistic(file, column.name, mean_where_it_ran),
                     count_of(file, name + "_diverging"), share_at_max_depth(file, name + "_")});
  }
  return found;
}

/// A later definition with the same key replaces the earlier one.
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

RowSettings row_settings(const DrawsFile& file, const SummaryOptions& options) {
  if (!options.of.empty() && options.directions.empty() && options.reference.empty())
    throw InputError(
        "--of selects variables for --directions and --reference. Give one of these options as "
        "well.");
  if (!options.amari.empty() && options.reference.empty())
    throw InputError(
        "--amari compares a matrix with the same matrix in the reference. Give --reference as "
        "well.");
  check_row_names(options.rows, file.columns(), file.labels(), "--rows");
  return {find_papers(options.ess), options.unweighted ? Eigen::MatrixXd() : varying_weights(file),
          file.coupled_chains(), normal_scores(file.draws(), file.chains())};
}

}  // namespace

std::string SummaryRow::variable() const {
  return name.substr(0, name.size() - subscript(indices).size());
}

const SummaryRow* Summary::find(const std::string& name) const noexcept {
  const auto found = std::find_if(variables.begin(), variables.end(),
                                  [&](const SummaryRow& row) { return row.name == name; });
  return found == variables.end() ? nullptr : &*found;
}

DrawsSummary::DrawsSummary(const DrawsFile& file, const SummaryOptions& options)
    : file_(file),
      options_(options),
      settings_(row_settings(file, options)),
      table_(file, settings_, options.stop),
      ess_(table_),
      shown_(shown_rows(table_, options.rows, file.labels())) {}

std::optional<bool> DrawsSummary::min_ess_reliable() const {
  if (std::isnan(ess_.smallest)) return std::nullopt;
  return ess_.smallest >= diagnostics::least_reliable_ess(file_.chains());
}

std::vector<SummaryRow> DrawsSummary::variables() const {
  std::vector<SummaryRow> rows;
  rows.reserve(shown_.size());
  for (const std::size_t shown : shown_) {
    const auto [column, element] = table_.element_of(shown);
    rows.push_back(summary_row(element_name(column, element), table_.rows()[shown],
                               settings_.papers, file_.draws(), file_.chains()));
    rows.back().indices = indices_of(column, element);
    rows.back().whole = column.type == RecordType::integer;
    if (!column.dims.empty() && !file_.labels().empty())
      rows.back().label = labelled_name(column, element, file_.labels());
  }
  return rows;
}

/// Monte Carlo standard error of the smallest ess_bulk, as if the variable had been chosen in
/// advance.
double DrawsSummary::min_ess_mcse() const {
  if (std::isnan(ess_.smallest)) return not_available;
  const auto [column, element] = table_.element_of(ess_.of_smallest);
  return diagnostics::ess_bulk_mcse(file_.read(column, element), file_.replicates(),
                                    file_.coupled_chains());
}

SamplerSummary DrawsSummary::sampler(double gradients, double seconds) const {
  SamplerSummary found;
  found.acceptance =
      statistic(file_, acceptance_rate, [](const Eigen::MatrixXd& x) { return x.mean(); });
  found.divergences = count_of(file_, "diverging");
  found.reached_max_depth = share_at_max_depth(file_, "");
  found.still_chains = still_chains(file_, table_);
  found.ebfmi = statistic(file_, "energy", [](const Eigen::MatrixXd& x) {
    return diagnostics::ebfmi(x).minCoeff<Eigen::PropagateNaN>();
  });
  found.min_ess = ess_.smallest;
  found.min_ess_mcse = min_ess_mcse();
  found.mean_ess = ess_.mean;
  found.min_ess_per_gradient = gradients > 0.0 ? ess_.smallest / gradients : not_available;
  found.min_ess_per_second = seconds > 0.0 ? ess_.smallest / seconds : not_available;
  found.min_ess_reliable = min_ess_reliable();
  found.kernels = kernel_figures(file_);
  return found;
}

Summary DrawsSummary::summary(double gradients, double seconds) const {
  Summary result;
  result.variables = variables();
  if (!shows_all())
    result.left_out = {.rows = std::ssize(table_.rows()) - std::ssize(shown_),
                       .of = std::ssize(table_.rows())};
  result.sampler = sampler(gradients, seconds);
  result.not_judged = not_judged(file_, table_);
  result.weighted = settings_.weighted();
  result.coupled = settings_.together > 1;
  result.certificate = file_.certificate();
  end_if_overdue(options_.stop, "the summary");
  if (!options_.directions.empty())
    result.directions = summarise_directions(file_, options_, settings_);
  end_if_overdue(options_.stop, "the summary");
  if (!options_.reference.empty())
    result.reference = summarise_reference(file_, options_, settings_.weights);
  result.estimators = estimator_notes(settings_, options_);
  return result;
}

Summary summarise(const DrawsFile& draws, double gradients, double seconds,
                  const SummaryOptions& options) {
  const DrawsSummary found(draws, options);
  if (!options.table.empty()) write_whole_file(options.table, found.netcdf());
  return found.summary(gradients, seconds);
}

Summary summarise(const std::string& folder_or_file, const SummaryOptions& options) {
  const DrawsFile draws(folder_or_file);
  return summarise(draws, draws.attribute("gradients"), draws.attribute("sampling_time"), options);
}

}  // namespace mixwell
