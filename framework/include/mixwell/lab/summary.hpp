// Summary of draws: one row for each element of the posterior, and the sampler's performance.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/lab/certificate.hpp>
#include <mixwell/lab/diagnostics.hpp>
#include <mixwell/lab/draws.hpp>
#include <mixwell/lab/stop_request.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mixwell {

/// Options of a summary.
struct SummaryOptions {
  std::vector<std::string> ess{};  ///< ids of estimators from papers, such as `qnhmc`
  std::string directions{};        ///< "", "principal", or a CSV file of directions
  /// The real variables of `posterior` for the directions and for the comparison with the
  /// reference. They are used in the order of the draws file. Empty means all real variables.
  std::vector<std::string> of{};
  /// Draws to compare with: a draws.nc, a folder with one, or a CSV file (.csv, .csv.gz) with one
  /// column for each element and one row for each draw. "" for none.
  std::string reference{};
  /// Matrix-valued variables to compare with the same variables of the reference, by the Amari
  /// distance.
  std::vector<std::string> amari{};
  /// Give every draw the same weight, even if `weight` is recorded.
  bool unweighted = false;
  /// Variables (`x`) and elements (`x[3]`) whose rows are always shown, even if other rows are
  /// omitted.
  std::vector<std::string> rows{};
  /// Path of a NetCDF file to write, with the rows of all elements. "" for none.
  std::string table{};
  /// summarise() throws Stopped once is_overdue() of this request is true. It checks before each
  /// element, before the directions, and before the comparison with a reference.
  const StopRequest* stop = nullptr;
};

/// A number and its name in summary.json. NaN means "unknown" throughout this header and is null in
/// the file. Infinity is written as the string "inf" or "-inf".
using NamedFigure = std::pair<std::string, double>;

/// The summary of one scalar quantity.
struct MIXWELL_EXPORT SummaryRow {
  std::string name;  ///< "x", "beta[3]", "b[2,3]" (from 0)
  diagnostics::StandardFigures standard{};
  std::vector<NamedFigure> papers{};  ///< results of the estimators in SummaryOptions::ess
  /// The names of unreliable effective sample sizes and autocorrelation times. All are unreliable
  /// if ess_bulk is below diagnostics::least_reliable_ess. An effective sample size is also
  /// unreliable if it is below this limit, or below twice the smallest value that its estimator can
  /// return. An estimate is also unreliable if the chains are too short for its estimator.
  std::vector<std::string> unreliable{};
  /// True if all values are whole numbers. Such a quantity can stay constant while the chain moves.
  bool whole = false;
  /// The name with labels instead of indices, such as "beta[Ulm]". "" if there are no labels.
  std::string label{};
  /// Indices of an element of an array, from 0. Empty for a scalar, even if its name contains
  /// brackets.
  std::vector<std::int64_t> indices{};
  std::int64_t nan_draws = 0;
  std::int64_t infinite_draws = 0;
  /// True if all draws of all chains are equal, up to rounding.
  bool constant = false;

  bool is_element() const noexcept { return !indices.empty(); }
  /// The name of the scalar, or of the array that contains the element.
  std::string variable() const;
  const std::string& shown_name() const noexcept { return label.empty() ? name : label; }
};

/// The standard columns by name, in the order of summary.json.
struct StandardFigure {
  const char* name;
  double diagnostics::StandardFigures::*value;
};
inline constexpr std::array<StandardFigure, 10> standard_figures = {
    {{"mean", &diagnostics::StandardFigures::mean},
     {"sd", &diagnostics::StandardFigures::sd},
     {"mcse_mean", &diagnostics::StandardFigures::mcse_mean},
     {"mcse_sd", &diagnostics::StandardFigures::mcse_sd},
     {"q5", &diagnostics::StandardFigures::q5},
     {"q50", &diagnostics::StandardFigures::q50},
     {"q95", &diagnostics::StandardFigures::q95},
     {"rhat", &diagnostics::StandardFigures::rhat},
     {"ess_bulk", &diagnostics::StandardFigures::ess_bulk},
     {"ess_tail", &diagnostics::StandardFigures::ess_tail}}};

/// The performance of one of several kernels, in the sweeps in which it ran.
struct KernelFigures {
  std::string kernel;                         ///< NAME in NAME_acceptance_rate and NAME_diverging
  double acceptance = 0.0;                    ///< mean of the kernel's acceptance rate
  std::optional<std::int64_t> divergences{};  ///< number of divergences, if recorded
  /// Fraction of the kernel's trajectories that reached max_depth, if the kernel has this limit.
  std::optional<double> reached_max_depth{};
};

/// The performance of the sampler.
struct SamplerSummary {
  double acceptance = 0.0;                    ///< mean of acceptance_rate
  std::optional<std::int64_t> divergences{};  ///< number of divergences, if recorded
  double ebfmi = 0.0;                         ///< smallest E-BFMI of all chains
  /// Fraction of trajectories that reached max_depth, if the kernel has this limit.
  std::optional<double> reached_max_depth{};
  /// Number of chains that accepted no proposal: chains with at least two draws and a constant lp.
  /// Empty if lp is not recorded or not finite, or if lp is always the same although all real
  /// variables move.
  std::optional<std::int64_t> still_chains{};
  double min_ess = 0.0;  ///< smallest ess_bulk of all variables that have one (constants do not)
  double min_ess_mcse = 0.0;  ///< diagnostics::ess_bulk_mcse of the variable with min_ess
  double mean_ess = 0.0;      ///< mean ess_bulk of all variables that have one
  double min_ess_per_gradient = 0.0;
  double min_ess_per_second = 0.0;
  /// True if min_ess reaches diagnostics::least_reliable_ess. Empty if there is no min_ess.
  std::optional<bool> min_ess_reliable{};
  /// One entry for each kernel if a sweep has several, in the order of their records.
  std::vector<KernelFigures> kernels{};
};

/// Rows for projections v'x of the draws x onto unit vectors v.
struct DirectionsSummary {
  /// The direction with the smallest ess_bulk.
  struct Smallest {
    std::string name;
    double ess_bulk = 0.0;
    std::vector<NamedFigure> weights{};  ///< weights that are not 0, by coordinate
  };

  std::string from;              ///< SummaryOptions::directions
  std::int64_t coordinates = 0;  ///< number of coordinates of x
  /// Coordinates that principal directions omit, because they are constant or not finite.
  std::vector<std::string> left_out{};
  std::int64_t degenerate = 0;         ///< principal directions without variance
  std::optional<Smallest> smallest{};  ///< empty if no direction has an ess_bulk
  std::vector<SummaryRow> along{};     ///< one row for each v
};

/// Comparison of the draws with a reference.
struct ReferenceSummary {
  std::string from;                     ///< SummaryOptions::reference
  std::int64_t draws = 0;               ///< draws of the reference
  std::int64_t coordinates = 0;         ///< coordinates that the draws and the reference share
  std::vector<std::string> left_out{};  ///< elements that the draws or the reference lacks
  /// diagnostics::relative_error of mean and covariance. NaN if unknown. For example, a single draw
  /// has no covariance.
  double rem = 0.0;
  double rec = 0.0;
  /// diagnostics::amari_distance of the mean of each requested matrix.
  std::vector<NamedFigure> amari{};
};

/// The definition of a number in the summary. It distinguishes the number from similar ones.
struct EstimatorNote {
  std::string key;  ///< name of the number in summary.json
  std::string name;
  std::string version;
  std::string agrees_with{};  ///< a program, or ""
  std::string source;
};

/// Numbers that are missing from this summary, although summaries usually contain them. They are
/// listed because draws that cannot be judged must not count as good.
struct NotJudged {
  std::string variable{};  ///< SummaryRow::shown_name() of an element, or "" for the sampler
  /// How many other elements have the same `figures` missing, for the same reason.
  std::int64_t more = 0;
  std::vector<std::string> figures{};  ///< names of the missing numbers in summary.json
  /// The reason for `variable`, such as "666 of 4000 draws are NaN".
  std::string because{};
  std::int64_t draws = 0;  ///< draws of `variable` that are NaN or infinite

  /// Returns "VARIABLE", "VARIABLE and MORE more", or "the sampler".
  MIXWELL_EXPORT std::string who() const;
  MIXWELL_EXPORT bool lacks(const std::string& figure) const noexcept;
};

/// The number of rows that a long table omits.
struct LeftOutRows {
  std::int64_t rows = 0;  ///< not shown
  std::int64_t of = 0;    ///< number of elements of all variables
};

/// Prediction of the model's test cases.
struct PredictionSummary {
  static constexpr const char* error_rate = "error rate";
  bool is_error_rate() const { return measure == error_rate; }

  std::int64_t cases = 0;
  std::string measure{};  ///< Prediction::measure(), such as "error rate"
  double error = 0.0;     ///< error of the predictions averaged over all draws
};

/// The content of summary.json.
struct Summary {
  /// Every element of every variable of `posterior`, in the order of the file. If there are more
  /// than 20 000 elements, only these remain: SummaryOptions::rows, scalars, the 500 worst elements
  /// by each of ess_bulk, ess_tail and rhat, and 500 elements without an ess_bulk.
  std::vector<SummaryRow> variables{};
  std::optional<LeftOutRows> left_out{};  ///< set if `variables` is not complete
  SamplerSummary sampler{};
  /// Numbers that are missing for some element or for the sampler. The list includes elements that
  /// `variables` omits, but no constants.
  std::vector<NotJudged> not_judged{};
  bool weighted = false;  ///< mean, sd, their errors and the quantiles are weighted
  /// The slots of a replicate share random numbers, so its chains are dependent. Replicates are
  /// independent.
  bool coupled = false;
  /// The certificate of the composition that made the draws, or "" if the draws file does not
  /// contain it.
  std::string certificate{};
  std::optional<DirectionsSummary> directions{};  ///< if requested
  std::optional<ReferenceSummary> reference{};    ///< if requested
  std::vector<EstimatorNote> estimators{};        ///< definitions of all numbers above
  std::optional<PredictionSummary> prediction{};  ///< if the run's model has test cases

  /// Returns the row with this name, or null.
  MIXWELL_EXPORT const SummaryRow* find(const std::string& name) const noexcept;
};

/// Summarises the draws. Computes rates from the `gradients` and `seconds` of the sampling phase.
/// Pass NaN for an unknown cost.
///
/// If the statistic `weight` is recorded and not constant, `weighted` is true, and
/// diagnostics::summarise(draws, weights) computes mean, sd, their errors and the quantiles.
///
/// Reads the file once. If there is not enough RAM, reads some parts again
/// (DrawsFile::elements_at_once()). Takes O(N log N) time for each element, where N is its number
/// of draws. Processes elements in parallel. Needs RAM for the draws of some elements and the
/// results of all elements. The result does not depend on the number of threads. Directions of d
/// coordinates take O(N d^2 + d^3) time, and need RAM for all draws of these coordinates. A
/// comparison with a reference takes O(N d^2) time, and needs RAM for all draws and for the whole
/// reference. Draws and reference are weighted if they have weights.
///
/// Throws InputError if an estimator, variable or element is unknown, if read_directions refuses
/// the file, if the reference lacks a variable of `of` or `amari`, or if a matrix is not square.
/// Throws Stopped once the request in `options` is overdue.
MIXWELL_EXPORT Summary summarise(const DrawsFile& draws, double gradients, double seconds,
                                 const SummaryOptions& options = {});

/// Summarises a draws.nc (or the folder with one), with the gradients and seconds in the file.
MIXWELL_EXPORT Summary summarise(const std::string& folder_or_file,
                                 const SummaryOptions& options = {});

/// Reads summary.json in a run's folder. Throws InputError if the file is missing or damaged.
MIXWELL_EXPORT Summary read_summary(const std::string& folder);

/// Returns the text of summary.json, as `mixwell summary --json` prints it.
MIXWELL_EXPORT std::string summary_json(const Summary& summary);

}  // namespace mixwell
