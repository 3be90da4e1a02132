// Reading draws.nc back: for summaries, checks and the hash of a run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>
#include <mixwell/recorder.hpp>
#include <mixwell/types.hpp>

#include <memory>
#include <string>
#include <vector>

namespace mixwell {

/// A draws.nc opened for reading, in bounded memory. Used by one thread.
class MIXWELL_EXPORT DrawsFile {
 public:
  /// `path`: the file, or the folder that holds a draws.nc. Throws InputError.
  explicit DrawsFile(const std::string& path);
  ~DrawsFile();
  DrawsFile(DrawsFile&&) noexcept;

  Index chains() const noexcept;
  Index draws() const noexcept;
  /// Independent groups of chains: the replicates of the run; as many as chains in a file that does
  /// not number them.
  Index replicates() const;
  /// Variables over (chain, draw, ...) of `posterior` in the order they were declared, then of
  /// `sample_stats`.
  const std::vector<Column>& columns() const noexcept;
  bool has(RecordGroup group, const std::string& name) const noexcept;
  /// draws x (count * chains): elements [first, first + count) of a variable, numbered with the
  /// last index fastest; element first + k in columns [k * chains, (k + 1) * chains). Any type as
  /// double. Throws InputError when the file has no such variable or element, or is damaged.
  Eigen::MatrixXd read(const Column& column, Index first, Index count = 1) const;
  /// Elements [first, first + elements_at_once()) of this column are read with the least disk
  /// traffic and no more than 64 MiB (one element at least).
  Index elements_at_once(const Column& column) const;
  /// One number stored beside the draws (`gradients`, `sampling_time`, `warmup_time` in seconds,
  /// `tuning_steps`), or NaN.
  double attribute(const std::string& name) const noexcept;
  /// The class of the composition that made the draws; "" if the file does not say.
  std::string certificate() const;
  /// Neighbouring chains that are not independent of one another: the slots of a replicate where
  /// the certificate calls them coupled, else 1.
  Index coupled_chains() const;
  /// SHA-256 over the posterior arrays in order of declaration, each little-endian float64,
  /// chain-major (chain, draw, element), as lower-case hexadecimal.
  std::string sha256() const;

 private:
  struct Opened;
  std::unique_ptr<Opened> file_;
};

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
};

/// summary.json of the draws: `{"variables": {...}, "sampler": {...}, "estimators": {...}}`, as
/// `mixwell summary --json` prints it. `gradients` and `seconds` of the sampling phase serve the
/// rates; NaN where unknown.
///
/// Where the statistic `weight` is there and not the same everywhere, `weighted` is true, and mean,
/// sd, their errors and the quantiles are those of diagnostics::summarise(draws, weights).
///
/// `variables` has every posterior variable (parameters and derived quantities), elements named
/// `beta[3]`, `b[2,3]` (from 0); `unreliable` of a row names the figures not to rely on. `sampler`:
/// `acceptance` = mean of acceptance_rate, `divergences` = sum of diverging, `ebfmi` = smallest
/// over chains, `min_ess` and `mean_ess` = smallest and mean ess_bulk over those variables that
/// have one (constants have none), `min_ess_mcse` = diagnostics::ess_bulk_mcse of the variable that
/// min_ess is of, the rates = min_ess over `gradients` and over `seconds`,
/// `min_ess_reliable` = whether min_ess reaches diagnostics::least_reliable_ess. `estimators`:
/// name, version and source of each figure. What is not known or not finite is null. Reads the file
/// once; O(N log N) for the N numbers of each element, elements in parallel; the same text on any
/// number of threads.
///
/// With directions (unit vectors v), `directions`: `from`, `coordinates` (d of them), `left_out`
/// (names of coordinates that are constant or not finite; principal directions only), `degenerate`
/// (principal directions without variance), `along` (a row for each v, of the draws of v'x), and
/// `smallest` (`name`, `ess_bulk` and `weights` of the direction of the smallest ess_bulk, or
/// null). O(N d^2 + d^3) and all N d numbers in memory. Throws InputError for an unknown estimator
/// or variable, or a file that read_directions refuses.
///
/// With a reference, `reference`: `from`, `draws` (of it), `coordinates` (d that both have),
/// `left_out` (names of elements that one alone has), `rem` and `rec` (diagnostics::relative_error
/// of means and covariances; null where not available, such as the covariance of one draw) and
/// `amari` (diagnostics::amari_distance of the mean of each matrix that was asked for). Both sides
/// are weighted where they have weights. O(N d^2) and all numbers of both in memory. Throws
/// InputError for a variable that one lacks, and a matrix that is not square.
MIXWELL_EXPORT std::string summary_json(const DrawsFile& draws, double gradients, double seconds,
                                        const SummaryOptions& options = {});

}  // namespace mixwell
