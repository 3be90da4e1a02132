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
  std::int64_t done = 0;  ///< completed sweeps of both phases
  std::int64_t total = 0;
  double seconds = 0.0;
  std::int64_t divergences = 0;
};

/// Options of a run.
struct RunOptions {
  std::string folder;  ///< out/NAME
  int threads = 0;     ///< 0 = all cores
  bool force = false;  ///< replace a non-empty folder that holds an earlier run
  /// Continue from the checkpoint in the folder. If there is no checkpoint, start from the
  /// beginning and replace the folder's content, as with `force`. Throws InputError if the
  /// manifest, the plugins or the data have changed since the checkpoint.
  bool resume = false;
  /// Check that no call of a model or an operation writes outside of its outputs, and that a second
  /// evaluation gives the same bits. The draws do not change. The run takes about twice as long.
  bool checked = false;
  std::function<void(const Progress&)> progress{};
  /// A request to stop the run, made by Ctrl-C. The run then ends after the current stretch of
  /// sweeps, and keeps its draws and a checkpoint. If the request becomes overdue before the
  /// summary is finished, the run has no summary.
  const StopRequest* stop = nullptr;
};

/// Whether a run is complete.
enum class Outcome { complete, interrupted };

/// What ended a run: its last draw, a stop rule, a signal, or an error of an operation.
enum class EndedBy { draws, gradients, seconds, min_ess, mcse, interrupt, error };

/// Returns the word for the argument in run.json, such as "complete" or "min_ess".
MIXWELL_EXPORT std::string_view to_string(Outcome outcome) noexcept;
MIXWELL_EXPORT std::string_view to_string(EndedBy ended_by) noexcept;

/// The cost of each phase, in seconds or in gradients (the sum over all chains).
struct PhaseShares {
  double warmup = 0.0;
  double sampling = 0.0;

  double total() const noexcept { return warmup + sampling; }
};

/// A library that a run used.
struct UsedLibrary {
  std::string library;  ///< name of its file
  std::string sha256;
};

/// A data file that a run read, or another file that its model depends on (Model::files).
struct UsedFile {
  std::string file;  ///< its path
  std::string sha256;
};

/// Versions of the software that made a run.
struct UsedVersions {
  std::string mixwell;
  std::string abi;       ///< the tag that a plugin must match
  std::string isa;       ///< the instruction set, such as "x86-64-v3"
  std::string compiler;  ///< the compiler that built Mixwell
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
  /// Evaluations, counted in gradients of the full U. The number for warmup includes one evaluation
  /// at the start of each chain.
  PhaseShares gradients{};
  PhaseShares potentials{};  ///< the part of `gradients` for evaluations that computed only U
  PhaseShares seconds{};     ///< wall-clock time, excluding loading and summary
  std::int64_t divergences = 0;
  std::vector<Divergence> first_divergences{};  ///< the first divergences, at most 100
  std::size_t memory_bytes = 0;                 ///< RAM for variables and intermediate values
  UsedVersions versions{};
  std::vector<UsedLibrary> plugins{};
  std::vector<UsedFile> files{};  ///< Composition::files
  std::vector<OperationTime> operations{};
  /// Composition::remarks, and the remarks of its models at the end of the run.
  std::vector<std::string> remarks{};
};

/// The result of a run.
struct RunResult {
  std::string folder;
  bool resumable = false;  ///< the run left a checkpoint and can continue
  RunRecord record;
  /// Empty if the request to stop became overdue before the summary was finished.
  /// `summarise` can still compute the summary from the draws.
  std::optional<Summary> summary{};
  Certificate certificate;
};

/// Reads run.json in the folder of a finished run. Throws InputError if it is missing or damaged.
MIXWELL_EXPORT RunRecord read_run(const std::string& folder);

/// Runs a composition. Writes manifest.toml, graph.dot, certificate.json, draws.nc, summary.json
/// and run.json into the folder. Each file has a temporary name until it is complete. run.json is
/// completed last. During the run, the subfolder `resume` contains the draws so far and a
/// checkpoint. The checkpoint is replaced about every `checkpoint_seconds` seconds. Draws and
/// checkpoint remain if the run is interrupted, or if it fails after a checkpoint. Throws Refused
/// before the first sweep if the class of the certificate is not allowed, and RunError if the run
/// fails.
MIXWELL_EXPORT RunResult run(const Composition& composition, const RunOptions& options);

/// Loads the manifest in the checkpoint that an interrupted run left in `folder`. Throws InputError
/// with the fix if there is no checkpoint.
MIXWELL_EXPORT Composition load_interrupted(const std::string& folder, const Registry& registry,
                                            Ranks* ranks = nullptr);

}  // namespace mixwell
