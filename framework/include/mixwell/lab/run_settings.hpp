// The settings in [run]: the number of draws, the start of the chains, and the end of the run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mixwell {

/// The start positions of the slots.
struct Init {
  enum class How { model, exact, prior, uniform, file, value };
  How how = How::model;
  double uniform = 2.0;  ///< half-width
  /// A CSV file (one row for each chain or a single row, one column for each coordinate), or JSON
  /// files in the model's format: one for each chain or a single one.
  std::vector<std::string> files{};
  std::vector<double> value;  ///< d numbers, or one for all coordinates
};

/// Conditions that end a run before its last draw. Each condition that is set can end the run.
struct StopSettings {
  std::optional<double> gradients;  ///< gradients evaluated since the start, including warmup
  std::optional<double> seconds;    ///< seconds since the start, including warmup
  std::optional<double> min_ess;    ///< smallest ess_bulk of all variables, if it is reliable
  std::optional<double> mcse;       ///< largest mcse_mean / sd of all variables
  /// Sweeps of the sampling phase between checks. The draws are examined less and less often.
  std::int64_t check_every = 100;

  friend bool operator==(const StopSettings&, const StopSettings&) = default;
};

/// The table `[run]`.
struct MIXWELL_EXPORT RunSettings {
  std::int64_t seed = 1;
  /// SHA-256 of the files that may hold an earlier run's draws or what it learnt: initial
  /// positions, and files that components other than models read. "" if there are none.
  std::string provenance;
  std::int64_t replicates = 4;
  std::int64_t warmup = 1000;
  std::int64_t draws = 1000;
  std::int64_t thin = 1;
  bool record_warmup = false;
  /// The numbers that are recorded for each case of the data: "all", "none", "log_likelihood" or
  /// "posterior_predictive". A Composition resolves "auto" to one of these.
  std::string predictive = "auto";
  /// The part of the work that the processes of an MPI run divide: "replicates", "data" or
  /// "coordinates". With "data", the sum over cases is computed shard by shard, even in a single
  /// process. "coordinates" needs a model whose coordinates form blocks.
  std::string ranks = "replicates";
  /// Sample the prior instead of the posterior.
  bool prior = false;
  Init init;
  std::vector<std::string> allow;
  /// Number of columns in a block, a multiple of 8. The last bits of the results depend on it, so
  /// it is part of the problem.
  std::int64_t block_width = 8;
  StopSettings stop;
  /// Elements and variables whose rows are always in summary.json, for any number of variables.
  std::vector<std::string> summary_rows;
  /// Seconds between checkpoints. 0 means no checkpoints, even if the run is interrupted.
  double checkpoint_seconds = 60.0;

  /// The key of all random numbers, from seed and provenance. If it used only the seed, a run that
  /// continues from another run's draws would reuse the noise that made those draws.
  std::uint64_t stream_seed() const noexcept;
};

}  // namespace mixwell
