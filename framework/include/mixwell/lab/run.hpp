// A whole run: from a composition to a folder of results.
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

struct Progress {
  PhaseKind phase = PhaseKind::warmup;
  std::int64_t done = 0;  ///< sweeps, both phases
  std::int64_t total = 0;
  double seconds = 0.0;
  std::int64_t divergences = 0;
};

struct RunOptions {
  std::string folder;  ///< out/NAME
  int threads = 0;     ///< 0 = all cores
  bool force = false;  ///< replace a non-empty folder that holds an earlier run
  /// Go on from the checkpoint in the folder; where there is none, begin anew, with `force`. Throws
  /// InputError if manifest, plugins or data are not those that the checkpoint was made with.
  bool resume = false;
  /// Look on at every call of a model or an operation: what it writes outside of its own, and
  /// whether a second evaluation has the same bits. The draws are the same, and take about twice as
  /// long.
  bool checked = false;
  std::function<void(const Progress&)> progress{};
  /// Made by Ctrl-C: end after the present stretch, with the draws and a checkpoint, and without a
  /// summary that is not made when the request is overdue.
  const StopRequest* stop = nullptr;
};

/// Whether a run came to its end.
enum class Outcome { complete, interrupted };

/// What ended a run: its last draw, a stop rule, a signal, or an error of an operation.
enum class EndedBy { draws, gradients, seconds, min_ess, mcse, interrupt, error };

/// "complete", "min_ess", ... as in run.json.
MIXWELL_EXPORT std::string_view to_string(Outcome outcome) noexcept;
MIXWELL_EXPORT std::string_view to_string(EndedBy ended_by) noexcept;

/// What each phase took of something: gradients of all chains, or seconds.
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

/// A file of data that was read, or a part of a model that it found by itself.
struct UsedFile {
  std::string file;  ///< its path
  std::string sha256;
};

/// Of what a run was made with.
struct UsedVersions {
  std::string mixwell;
  std::string abi;       ///< the tag that plugins are checked against
  std::string compiler;  ///< of Mixwell itself
  std::string tbb;
  std::string boost;
  std::string netcdf;
};

/// run.json: what happened.
struct RunRecord {
  Outcome outcome = Outcome::complete;
  EndedBy ended_by = EndedBy::draws;
  std::string error{};       ///< with which an operation ended the run, or ""
  std::string created_at{};  ///< its start, ISO 8601, UTC
  /// DrawsFile::sha256: equal hashes mean equal draws.
  std::string draws_sha256{};
  std::int64_t draws = 0;  ///< recorded, of each chain
  std::int64_t replicates = 0;
  int threads = 0;
  /// Evaluations in gradients of the whole U; the warm-up's begin with one per chain.
  PhaseShares gradients{};
  PhaseShares potentials{};  ///< of them those of only U
  PhaseShares seconds{};     ///< wall clock, without loading and summary
  std::int64_t divergences = 0;
  std::vector<Divergence> first_divergences{};  ///< at most 100 of them
  std::size_t memory_bytes = 0;                 ///< of variables and intermediate values
  UsedVersions versions{};
  std::vector<UsedLibrary> plugins{};
  std::vector<UsedFile> files{};  ///< Composition::files
  std::vector<OperationTime> operations{};
  /// Composition::remarks, and what its models have to say when the run has ended.
  std::vector<std::string> remarks{};
};

struct RunResult {
  std::string folder;
  bool resumable = false;  ///< it left a checkpoint to go on from
  RunRecord record;
  /// Nothing where the request to stop was overdue before its end: `summarise` makes it of the
  /// draws.
  std::optional<Summary> summary{};
  Certificate certificate;
};

/// run.json in the folder of a run that has ended. Throws InputError.
MIXWELL_EXPORT RunRecord read_run(const std::string& folder);

/// Runs and writes manifest.toml, graph.dot, certificate.json, draws.nc, summary.json, run.json
/// into the folder, each under a temporary name first, run.json last. While it runs, its subfolder
/// `resume` holds the unfinished draws and, about every `checkpoint_seconds`, a checkpoint; both
/// are kept where the run is interrupted or fails after one. Throws Refused before the first sweep
/// when the certificate forbids, RunError when it fails on the way.
MIXWELL_EXPORT RunResult run(const Composition& composition, const RunOptions& options);

/// The composition of the run that left a checkpoint in the folder, from the manifest in it. Throws
/// InputError, with the cure, where there is no checkpoint.
MIXWELL_EXPORT Composition load_interrupted(const std::string& folder, const Registry& registry,
                                            Ranks* ranks = nullptr);

}  // namespace mixwell
