// Summary of a run's draws: one row for each element of the posterior, and the performance of the
// sampler.
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

/// The content of a summary in addition to the standard columns.
struct SummaryOptions {
  std::vector<std::string> ess{};  ///< papers' estimators by id: `qnhmc`, ...
  std::string directions{};        ///< "", "principal", or a CSV file of directions
  /// The real variables of `posterior` that form the vector for the directions, in the order of the
  /// file. Empty means all of them.
  std::vector<std::string> of{};
  /// Draws to compare with: a draws.nc, a folder with one, or a CSV file (.csv, .csv.gz) with one
  /// column for each element and one row for each draw. "" for none.
  std::string reference{};
  /// Matrix-valued variables to compare with the same variables of the reference, by the Amari
  /// distance.
  std::vector<std::string> amari{};
  /// Give every draw the same weight, even if `weight` is recorded.
  bool unweighted = false;
  /// Variables (`x`) and elements (`x[3]`) whose rows are always shown, for any number of
  /// variables.
  std::vector<std::string> rows{};
  /// Path of a NetCDF file to write, with the rows of all elements. "" for none.
  std::string table{};
  /// Ends the summary with Stopped once the request is overdue. The request is checked before each
  /// element, before directions and before a reference.
  const StopRequest* stop = nullptr;
};

/// A number by its name in summary.json. NaN means "unknown" throughout this header and is null in
/// the file. Infinite numbers are the texts "inf" and "-inf" in the file.
using NamedFigure = std::pair<std::string, double>;

/// The summary of one scalar quantity.
struct MIXWELL_EXPORT SummaryRow {
  std::string name;  ///< "x", "beta[3]", "b[2,3]" (from 0)
  diagnostics::StandardFigures standard{};
  std::vector<NamedFigure> papers{};  ///< from the requested papers' estimators, in order
  /// The names of effective sample sizes and times that are unreliable. A number is unreliable if
  /// it or its ess_bulk is below diagnostics::least_reliable_ess, if it is within a factor of 2 of
  /// its estimator's floor, or if the chains are too short for its estimator.
  std::vector<std::string> unreliable{};
  /// True if the quantity holds whole numbers, so it may rightly stay constant.
  bool whole = false;
  /// The name with labels of dimensions instead of numbers, "beta[Ulm]"; "" without labels.
  std::string label{};
  /// Indices of an element of an array, from 0. Empty for a scalar, whose name may contain brackets
  /// itself.
  std::vector<std::int64_t> indices{};
  std::int64_t nan_draws = 0;
  std::int64_t infinite_draws = 0;
  /// All draws of all chains are equal, up to rounding.
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
  /// Fraction of the kernel's trajectories that reached max_depth, if the kernel has one.
  std::optional<double> reached_max_depth{};
};

/// The performance of the sampler.
struct SamplerSummary {
  double acceptance = 0.0;                    ///< mean of acceptance_rate
  std::optional<std::int64_t> divergences{};  ///< number of divergences, if recorded
  double ebfmi = 0.0;                         ///< smallest E-BFMI of all chains
  /// Fraction of trajectories that reached max_depth, if the kernel has one.
  std::optional<double> reached_max_depth{};
  /// Number of chains whose lp is the same in all of two or more draws, so that none of their
  /// proposals was accepted. Empty if lp is not recorded, or if lp does not change while everything
  /// moves.
  std::optional<std::int64_t> still_chains{};
  /// Smallest and mean ess_bulk over the variables that have one (constants do not), and
  /// diagnostics::ess_bulk_mcse of the variable with the smallest.
  double min_ess = 0.0;
  double min_ess_mcse = 0.0;
  double mean_ess = 0.0;
  double min_ess_per_gradient = 0.0;
  double min_ess_per_second = 0.0;
  /// True if min_ess reaches diagnostics::least_reliable_ess. Empty if there is no min_ess.
  std::optional<bool> min_ess_reliable{};
  /// One entry for each kernel if a sweep has several, in the order of their records.
  std::vector<KernelFigures> kernels{};
};

/// Rows for projections v'x of the draws on unit vectors v.
struct DirectionsSummary {
  /// The direction with the smallest ess_bulk.
  struct Smallest {
    std::string name;
    double ess_bulk = 0.0;
    std::vector<NamedFigure> weights{};  ///< weights that are not 0, by coordinate
  };

  std::string from;                     ///< SummaryOptions::directions
  std::int64_t coordinates = 0;         ///< of x
  std::vector<std::string> left_out{};  ///< constant or not finite; principal directions only
  std::int64_t degenerate = 0;          ///< principal directions without variance
  std::optional<Smallest> smallest{};   ///< empty if no direction has an ess_bulk
  std::vector<SummaryRow> along{};      ///< one for each v
};

/// Comparison of the draws with a reference.
struct ReferenceSummary {
  std::string from;                     ///< SummaryOptions::reference
  std::int64_t draws = 0;               ///< of the reference
  std::int64_t coordinates = 0;         ///< number of coordinates that both have
  std::vector<std::string> left_out{};  ///< names of elements that only one of the two has
  /// diagnostics::relative_error of mean and covariance. NaN if not available, such as the
  /// covariance of a single draw.
  double rem = 0.0;
  double rec = 0.0;
  /// diagnostics::amari_distance of the mean of each requested matrix.
  std::vector<NamedFigure> amari{};
};

/// The definition of a number in the summary, so that readers cannot confuse it with another one.
struct EstimatorNote {
  std::string key;  ///< of the number
  std::string name;
  std::string version;
  std::string agrees_with{};  ///< a program, or ""
  std::string source;
};

/// Numbers that a summary usually contains, and that are missing in this one. They are listed
/// because draws that cannot be judged must not count as good.
struct NotJudged {
  std::string variable{};  ///< an element, as it is shown; "" for the sampler
  /// Number of other elements that lack the same numbers for the same reason.
  std::int64_t more = 0;
  std::vector<std::string> figures{};  ///< names of the missing numbers in summary.json
  std::string because{};               ///< the reason for `variable`: "666 of 4000 draws are NaN"
  std::int64_t draws = 0;              ///< draws of `variable` that are NaN or infinite

  /// Returns "b", "b and 3 more", or "the sampler".
  MIXWELL_EXPORT std::string who() const;
  MIXWELL_EXPORT bool lacks(const std::string& figure) const noexcept;
};

/// The size of the part of a long table that is not shown.
struct LeftOutRows {
  std::int64_t rows = 0;  ///< not shown
  std::int64_t of = 0;    ///< elements of all variables
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
  /// than 20 000, only the elements of SummaryOptions::rows, scalars, and the worst elements: 500
  /// each by ess_bulk, ess_tail and rhat, and 500 without an ess_bulk.
  std::vector<SummaryRow> variables{};
  std::optional<LeftOutRows> left_out{};  ///< set if `variables` is not complete
  SamplerSummary sampler{};
  /// The numbers that could not be judged, for all elements, including elements that `variables`
  /// omits. A constant is not listed.
  std::vector<NotJudged> not_judged{};
  bool weighted = false;  ///< mean, sd, their errors and the quantiles are weighted
  bool coupled = false;   ///< slots share a noise: replicates are independent, chains are not
  /// The certificate of the composition that made the draws; "" if the file of the draws does not
  /// name it.
  std::string certificate{};
  std::optional<DirectionsSummary> directions{};  ///< if requested
  std::optional<ReferenceSummary> reference{};    ///< if requested
  std::vector<EstimatorNote> estimators{};        ///< definitions of all numbers above
  std::optional<PredictionSummary> prediction{};  ///< if the run's model has test cases

  /// Returns the row with this name, or null.
  MIXWELL_EXPORT const SummaryRow* find(const std::string& name) const noexcept;
};

/// Summarises the draws. `gradients` and `seconds` of the sampling phase are used for rates. NaN
/// means unknown.
///
/// If the statistic `weight` is recorded and not constant, `weighted` is true, and mean, sd, their
/// errors and the quantiles are those of diagnostics::summarise(draws, weights).
///
/// Reads the file once (if RAM is short, parts of it again: DrawsFile::elements_at_once()). O(N log
/// N) for the N numbers of each element. Elements are processed in parallel. RAM holds the draws of
/// some elements and the results of all. The result does not depend on the number of threads.
/// Directions: O(N d^2 + d^3), and all N d numbers in RAM. A reference: O(N d^2), and all numbers
/// of the draws and of the reference in RAM. Each of the two is weighted if it has weights.
///
/// Throws InputError if an estimator, variable or element is unknown, if read_directions refuses
/// the file, if a variable exists on one side of a comparison only, or if a matrix is not square.
/// Throws Stopped on request.
MIXWELL_EXPORT Summary summarise(const DrawsFile& draws, double gradients, double seconds,
                                 const SummaryOptions& options = {});

/// Summarises a draws.nc (or the folder with one), with the gradients and seconds that it states.
MIXWELL_EXPORT Summary summarise(const std::string& folder_or_file,
                                 const SummaryOptions& options = {});

/// Reads summary.json in the folder of a finished run. Throws InputError.
MIXWELL_EXPORT Summary read_summary(const std::string& folder);

/// Returns the text of summary.json, as `mixwell summary --json` prints it.
MIXWELL_EXPORT std::string summary_json(const Summary& summary);

}  // namespace mixwell
