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
  /// files in the model's format (one file for each chain or a single file).
  std::vector<std::string> files{};
  std::vector<double> value;  ///< d numbers, or one number for all coordinates
};

/// Conditions that end a run before it has made all its draws. Any condition that is set can end
/// the run.
struct StopSettings {
  std::optional<double> gradients;  ///< gradients evaluated since the start, including warmup
  std::optional<double> seconds;    ///< seconds since the start, including warmup
  std::optional<double> min_ess;    ///< smallest ess_bulk of all variables, if it is reliable
  std::optional<double> mcse;       ///< largest mcse_mean / sd of all variables
  /// Sweeps between checks of these conditions in the sampling phase. `min_ess` and `mcse` are
  /// checked less and less often as the run goes on.
  std::int64_t check_every = 100;

  friend bool operator==(const StopSettings&, const StopSettings&) = default;
};

/// The table `[run]` of a manifest.
struct MIXWELL_EXPORT RunSettings {
  std::int64_t seed = 1;
  /// SHA-256 of the files that may contain draws of an earlier run or values that it learnt: files
  /// of initial positions, and files read by components that are not models. "" if there are no
  /// such files.
  std::string provenance;
  std::int64_t replicates = 4;
  std::int64_t warmup = 1000;
  std::int64_t draws = 1000;
  std::int64_t thin = 1;
  bool record_warmup = false;
  /// The groups of per-case values to record: "all", "none", "log_likelihood" or
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
  /// Number of columns in a block of columns, a multiple of 8. The last bits of the results depend
  /// on this number, so the manifest fixes it for all machines.
  std::int64_t block_width = 8;
  StopSettings stop;
  /// Elements and variables whose rows are always in summary.json, even if it omits other rows.
  std::vector<std::string> summary_rows;
  /// Seconds between checkpoints. 0 means no checkpoints, even if the run is interrupted.
  double checkpoint_seconds = 60.0;
  /// The instruction set that the run needs. If unset, any set may compute it.
  std::optional<std::string> isa;

  /// Returns the key of all random numbers, a hash of `seed` and `provenance`. If the key used only
  /// `seed`, a run that starts from earlier draws would reuse the noise that made these draws.
  std::uint64_t stream_seed() const noexcept;
};

}  // namespace mixwell
