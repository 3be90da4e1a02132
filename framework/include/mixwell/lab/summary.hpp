// What the draws of a run come to: one row for each element of the posterior, and how well the
// sampler did.
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

/// What a summary has beside the standard figures.
struct SummaryOptions {
  std::vector<std::string> ess{};  ///< papers' estimators by id: `qnhmc`, ...
  std::string directions{};        ///< "", "principal", or a CSV file of directions
  /// The real variables of `posterior` that make up the vector whose directions are meant, in the
  /// order of the file; empty: all of them.
  std::vector<std::string> of{};
  /// "", or draws to compare with: a draws.nc, a folder that holds one, or a CSV file (.csv,
  /// .csv.gz) with a column for each element and a row for each draw.
  std::string reference{};
  /// Matrix-valued variables to compare with those of the reference by their Amari distance.
  std::vector<std::string> amari{};
  /// Every draw counts the same, whatever `weight` says.
  bool unweighted = false;
  /// Variables (`x`) and elements (`x[3]`) whose rows are shown however many there are.
  std::vector<std::string> rows{};
  /// "", or a NetCDF file to write, with the rows of all elements.
  std::string table{};
  /// Ends it with Stopped once overdue; looked at before each element, directions and a reference.
  const StopRequest* stop = nullptr;
};

/// A figure by its name in summary.json. Of all figures here NaN means "not known", which is null
/// there; infinite ones are the texts "inf" and "-inf".
using NamedFigure = std::pair<std::string, double>;

/// The figures of one scalar quantity.
struct MIXWELL_EXPORT SummaryRow {
  std::string name;  ///< "x", "beta[3]", "b[2,3]" (from 0)
  diagnostics::StandardFigures standard{};
  std::vector<NamedFigure> papers{};  ///< of the papers' estimators that were asked for, in order
  /// The names of those effective sample sizes and times not to rely on: below
  /// diagnostics::least_reliable_ess, beside an ess_bulk that is, within a factor of 2 of the floor
  /// of their estimator, or from chains too short for it.
  std::vector<std::string> unreliable{};
  /// It takes whole numbers: that it never changes may be what it is like.
  bool whole = false;
  /// The name with labels of dimensions instead of numbers, "beta[Ulm]"; "" without labels.
  std::string label{};
  /// Of an element of an array, from 0; none for a scalar, whose name may have brackets of its own.
  std::vector<std::int64_t> indices{};
  std::int64_t nan_draws = 0;
  std::int64_t infinite_draws = 0;
  /// All draws of all chains are one number, as far as rounding can tell.
  bool constant = false;

  bool is_element() const noexcept { return !indices.empty(); }
  /// The name of the scalar, or of the array that it is an element of.
  std::string variable() const;
  const std::string& shown_name() const noexcept { return label.empty() ? name : label; }
};

/// The standard figures by their names, in the order of summary.json.
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

/// How well one of several kernels did, in the sweeps in which it ran.
struct KernelFigures {
  std::string kernel;                         ///< NAME of NAME_acceptance_rate and NAME_diverging
  double acceptance = 0.0;                    ///< mean of its acceptance rate
  std::optional<std::int64_t> divergences{};  ///< sum of its diverging, where it is recorded
  /// Share of its trajectories that reached max_depth, where it has one.
  std::optional<double> reached_max_depth{};
};

/// How well the sampler did.
struct SamplerSummary {
  double acceptance = 0.0;                    ///< mean of acceptance_rate
  std::optional<std::int64_t> divergences{};  ///< sum of diverging, where it is recorded
  double ebfmi = 0.0;                         ///< smallest over chains
  /// Share of trajectories that reached max_depth, where the kernel has one.
  std::optional<double> reached_max_depth{};
  /// How many chains have the same lp in all of two draws or more: none of their proposals was
  /// accepted. Nothing where lp is not recorded, or does not change while everything moves.
  std::optional<std::int64_t> still_chains{};
  /// Smallest and mean ess_bulk over those variables that have one (constants have none), and
  /// diagnostics::ess_bulk_mcse of the variable that min_ess is of.
  double min_ess = 0.0;
  double min_ess_mcse = 0.0;
  double mean_ess = 0.0;
  double min_ess_per_gradient = 0.0;
  double min_ess_per_second = 0.0;
  /// Whether min_ess reaches diagnostics::least_reliable_ess; nothing where there is none.
  std::optional<bool> min_ess_reliable{};
  /// Where a sweep has several: in the order of their records.
  std::vector<KernelFigures> kernels{};
};

/// Rows for projections v'x of the draws on unit vectors v.
struct DirectionsSummary {
  /// The direction of the smallest ess_bulk.
  struct Smallest {
    std::string name;
    double ess_bulk = 0.0;
    std::vector<NamedFigure> weights{};  ///< by coordinate, those that are not 0
  };

  std::string from;                     ///< SummaryOptions::directions
  std::int64_t coordinates = 0;         ///< of x
  std::vector<std::string> left_out{};  ///< constant or not finite; principal directions only
  std::int64_t degenerate = 0;          ///< principal directions without variance
  std::optional<Smallest> smallest{};   ///< nothing where no direction has an ess_bulk
  std::vector<SummaryRow> along{};      ///< one for each v
};

/// The draws compared with others.
struct ReferenceSummary {
  std::string from;                     ///< SummaryOptions::reference
  std::int64_t draws = 0;               ///< of the reference
  std::int64_t coordinates = 0;         ///< that both have
  std::vector<std::string> left_out{};  ///< names of elements that only one has
  /// diagnostics::relative_error of mean and covariance; NaN where not available, such as the
  /// covariance of one draw.
  double rem = 0.0;
  double rec = 0.0;
  /// diagnostics::amari_distance of the mean of each matrix that was asked for.
  std::vector<NamedFigure> amari{};
};

/// What a figure is, so that nobody takes it for another.
struct EstimatorNote {
  std::string key;  ///< of the figure
  std::string name;
  std::string version;
  std::string agrees_with{};  ///< a program, or ""
  std::string source;
};

/// Figures that draws have in general, and these lack. What could not be judged is not good.
struct NotJudged {
  std::string variable{};              ///< an element, as it is shown; "" for the sampler
  std::int64_t more = 0;               ///< other elements that lack the same, for the same reason
  std::vector<std::string> figures{};  ///< by their names in summary.json
  std::string because{};               ///< of `variable`: "666 of 4000 draws are NaN"
  std::int64_t draws = 0;              ///< of `variable` that are NaN or infinite

  /// "b", "b and 3 more", "the sampler".
  MIXWELL_EXPORT std::string who() const;
  MIXWELL_EXPORT bool lacks(const std::string& figure) const noexcept;
};

/// How much of a long table is not shown.
struct LeftOutRows {
  std::int64_t rows = 0;  ///< that are not there
  std::int64_t of = 0;    ///< elements of all variables
};

/// On test cases that the model has.
struct PredictionSummary {
  static constexpr const char* error_rate = "error rate";
  bool is_error_rate() const { return measure == error_rate; }

  std::int64_t cases = 0;
  std::string measure{};  ///< Prediction::measure(), such as "error rate"
  double error = 0.0;     ///< of the predictions averaged over all draws
};

/// summary.json.
struct Summary {
  /// Every element of every variable of `posterior`, in its order. Of more than 20 000, those of
  /// SummaryOptions::rows, scalars, and the worst: 500 each by ess_bulk, ess_tail and rhat, and of
  /// those without an ess_bulk.
  std::vector<SummaryRow> variables{};
  std::optional<LeftOutRows> left_out{};  ///< where `variables` lacks some
  SamplerSummary sampler{};
  /// Of all elements, those that `variables` lacks among them. A constant is no entry.
  std::vector<NotJudged> not_judged{};
  bool weighted = false;  ///< mean, sd, their errors and the quantiles are
  bool coupled = false;   ///< slots share a noise: replicates are independent, not chains
  /// Of the composition that made the draws; "" if their file does not say.
  std::string certificate{};
  std::optional<DirectionsSummary> directions{};  ///< where they were asked for
  std::optional<ReferenceSummary> reference{};    ///< likewise
  std::vector<EstimatorNote> estimators{};        ///< of all figures above
  std::optional<PredictionSummary> prediction{};  ///< of a run whose model has test cases

  /// The row of that name, or null.
  MIXWELL_EXPORT const SummaryRow* find(const std::string& name) const noexcept;
};

/// Of the draws. `gradients` and `seconds` of the sampling phase serve the rates; NaN where
/// unknown.
///
/// Where the statistic `weight` is there and not the same everywhere, `weighted` is true, and mean,
/// sd, their errors and the quantiles are those of diagnostics::summarise(draws, weights).
///
/// Reads the file once (parts of it again where memory is short: DrawsFile::elements_at_once());
/// O(N log N) for the N numbers of each element, elements in parallel, with the draws of some of
/// them and the figures of all in memory; the same on any number of threads. Directions:
/// O(N d^2 + d^3) and all N d numbers in memory. A reference: O(N d^2) and all numbers of both in
/// memory, both weighted where they have weights.
///
/// Throws InputError for an unknown estimator, variable or element, a file that read_directions
/// refuses, a variable that one side of a comparison lacks, and a matrix that is not square;
/// Stopped on request.
MIXWELL_EXPORT Summary summarise(const DrawsFile& draws, double gradients, double seconds,
                                 const SummaryOptions& options = {});

/// Of a draws.nc (or of the folder that holds one), with the gradients and seconds that it says.
MIXWELL_EXPORT Summary summarise(const std::string& folder_or_file,
                                 const SummaryOptions& options = {});

/// summary.json in the folder of a run that has ended. Throws InputError.
MIXWELL_EXPORT Summary read_summary(const std::string& folder);

/// The text of summary.json, as `mixwell summary --json` prints it.
MIXWELL_EXPORT std::string summary_json(const Summary& summary);

}  // namespace mixwell
