// Runs a composition and writes a folder of results.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/lab/manifest.hpp>
#include <mixwell/lab/sampler.hpp>
#include <mixwell/lab/stop_request.hpp>
#include <mixwell/lab/summary.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mixwell {

/// The progress of a run.
struct Progress {
  PhaseKind phase = PhaseKind::warmup;
  std::int64_t done = 0;  ///< sweeps, both phases
  std::int64_t total = 0;
  double seconds = 0.0;
  std::int64_t divergences = 0;
};

/// Options of a run.
struct RunOptions {
  std::string folder;  ///< out/NAME
  int threads = 0;     ///< 0 = all cores
  bool force = false;  ///< replace a non-empty folder that holds an earlier run
  /// Continue from the checkpoint in the folder. If there is none, start from the beginning and
  /// replace the folder's content, as with `force`. Throws InputError if manifest, plugins or data
  /// differ from those of the checkpoint.
  bool resume = false;
  /// Check that no call of a model or an operation writes outside of its outputs, and that a second
  /// evaluation gives the same bits. The draws do not change. The run takes about twice as long.
  bool checked = false;
  std::function<void(const Progress&)> progress{};
  /// A request to stop, which Ctrl-C makes. The run ends after the current stretch of sweeps, with
  /// its draws and a checkpoint. The summary is omitted if it is not finished when the request is
  /// overdue.
  const StopRequest* stop = nullptr;
};

/// Completion of a run.
enum class Outcome { complete, interrupted };

/// The cause that ended a run: its last draw, a stop rule, a signal, or an error of an operation.
enum class EndedBy { draws, gradients, seconds, min_ess, mcse, interrupt, error };

/// The word as in run.json: "complete", "min_ess", ....
MIXWELL_EXPORT std::string_view to_string(Outcome outcome) noexcept;
MIXWELL_EXPORT std::string_view to_string(EndedBy ended_by) noexcept;

/// An amount for each phase: gradients of all chains, or seconds.
struct PhaseShares {
  double warmup = 0.0;
  double sampling = 0.0;

  double total() const noexcept { return warmup + sampling; }
};

/// A library that was in use.
struct UsedLibrary {
  std::string library;  ///< name of its file
  std::string sha256;
};

/// A data file that was read, or a file that a model located itself.
struct UsedFile {
  std::string file;  ///< its path
  std::string sha256;
};

/// Versions of the software that made a run.
struct UsedVersions {
  std::string mixwell;
  std::string abi;       ///< the tag that plugins are checked against
  std::string compiler;  ///< compiler of Mixwell itself
  std::string tbb;
  std::string boost;
  std::string netcdf;
};

/// The content of run.json: what happened in the run.
struct RunRecord {
  Outcome outcome = Outcome::complete;
  EndedBy ended_by = EndedBy::draws;
  std::string error{};       ///< the error of an operation that ended the run, or ""
  std::string created_at{};  ///< start of the run, ISO 8601, UTC
  /// DrawsFile::sha256. Equal hashes mean equal draws.
  std::string draws_sha256{};
  std::int64_t draws = 0;  ///< recorded draws of each chain
  std::int64_t replicates = 0;
  int threads = 0;
  /// Evaluations in gradients of the full U. The evaluations of warmup include one for each chain
  /// at its start.
  PhaseShares gradients{};
  PhaseShares potentials{};  ///< the part of `gradients` for evaluations that computed only U
  PhaseShares seconds{};     ///< wall clock, without loading and summary
  std::int64_t divergences = 0;
  std::vector<Divergence> first_divergences{};  ///< at most 100 divergences
  std::size_t memory_bytes = 0;                 ///< memory of variables and intermediate values
  UsedVersions versions{};
  std::vector<UsedLibrary> plugins{};
  std::vector<UsedFile> files{};  ///< Composition::files
  std::vector<OperationTime> operations{};
  /// Composition::remarks, and remarks of its models at the end of the run.
  std::vector<std::string> remarks{};
};

/// What a run produced.
struct RunResult {
  std::string folder;
  bool resumable = false;  ///< the run left a checkpoint and can continue
  RunRecord record;
  /// Empty if the request to stop was overdue before the summary was finished. `summarise` then
  /// makes it from the draws.
  std::optional<Summary> summary{};
  Certificate certificate;
};

/// Reads run.json in the folder of a finished run. Throws InputError.
MIXWELL_EXPORT RunRecord read_run(const std::string& folder);

/// Runs a composition. Writes manifest.toml, graph.dot, certificate.json, draws.nc, summary.json
/// and run.json into the folder. Each file has a temporary name until it is complete. run.json is
/// completed last. During the run, the subfolder `resume` holds the unfinished draws and, about
/// every `checkpoint_seconds`, a checkpoint. Both stay if the run is interrupted, or if it fails
/// after a checkpoint. Throws Refused before the first sweep if the certificate forbids the
/// composition, and RunError if the run fails.
MIXWELL_EXPORT RunResult run(const Composition& composition, const RunOptions& options);

/// Returns the composition of the run that left a checkpoint in the folder, from the manifest
/// there. Throws InputError with the fix if there is no checkpoint.
MIXWELL_EXPORT Composition load_interrupted(const std::string& folder, const Registry& registry,
                                            Ranks* ranks = nullptr);

}  // namespace mixwell
