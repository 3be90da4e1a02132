// The values of [run]: how much is drawn, from where, and when it ends.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mixwell {

/// Where the slots start.
struct Init {
  enum class How { model, exact, prior, uniform, file, value };
  How how = How::model;
  double uniform = 2.0;  ///< half-width
  /// A CSV file (one row per chain or a single row, one column per coordinate), or JSON files as
  /// the model reads them: one per chain or a single one.
  std::vector<std::string> files{};
  std::vector<double> value;  ///< d numbers, or one for all coordinates
};

/// When a run ends before its last draw; each that is set ends it.
struct StopSettings {
  std::optional<double> gradients;  ///< spent since the start, warm-up included
  std::optional<double> seconds;    ///< likewise
  std::optional<double> min_ess;    ///< smallest ess_bulk of all variables, if it is reliable
  std::optional<double> mcse;       ///< largest mcse_mean / sd of all variables
  /// Sweeps of the sampling phase between looks; the draws are looked at ever more rarely.
  std::int64_t check_every = 100;

  friend bool operator==(const StopSettings&, const StopSettings&) = default;
};

/// `[run]`.
struct MIXWELL_EXPORT RunSettings {
  std::int64_t seed = 1;
  /// SHA-256 over the files that may hold what an earlier run drew or learnt: starting points, and
  /// what components other than models read; "" without any.
  std::string provenance;
  std::int64_t replicates = 4;
  std::int64_t warmup = 1000;
  std::int64_t draws = 1000;
  std::int64_t thin = 1;
  bool record_warmup = false;
  /// What is recorded of cases of the data: "all", "none", "log_likelihood" or
  /// "posterior_predictive". Of a manifest that says "auto", one of them in a Composition.
  std::string predictive = "auto";
  /// What processes that MPI starts together divide: "replicates"; "data", whose sum over cases is
  /// then formed shard by shard, in one process too; or "coordinates", of a model that has them in
  /// blocks.
  std::string ranks = "replicates";
  /// Sample the prior instead of the posterior.
  bool prior = false;
  Init init;
  std::vector<std::string> allow;
  /// Columns of a block: part of the problem, since results depend on it in the last bits; a
  /// multiple of 8.
  std::int64_t block_width = 8;
  StopSettings stop;
  /// Elements and variables whose rows are in summary.json however many there are.
  std::vector<std::string> summary_rows;
  /// Seconds between checkpoints; 0 = none, also not when the run is interrupted.
  double checkpoint_seconds = 60.0;

  /// Key of all random numbers, of seed and provenance: with only the seed a run that goes on from
  /// another's draws would replay the noise that made them.
  std::uint64_t stream_seed() const noexcept;
};

}  // namespace mixwell
