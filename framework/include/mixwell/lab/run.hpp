// A whole run: from a composition to a folder of results.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>
#include <mixwell/lab/draws.hpp>
#include <mixwell/lab/manifest.hpp>
#include <mixwell/lab/sampler.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

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
  std::function<void(const Progress&)> progress;
  /// Set by Ctrl-C: end after the present stretch, with results and a checkpoint.
  const std::atomic<bool>* stop = nullptr;
};

struct RunResult {
  std::string folder;
  std::string outcome;  ///< "complete" | "interrupted"
  /// "draws" | "gradients" | "seconds" | "min_ess" | "mcse" | "interrupt" | "error"
  std::string ended_by;
  bool resumable = false;  ///< it left a checkpoint to go on from
  std::string summary_json;
  std::string run_json;
  Certificate certificate;
};

/// Runs and writes manifest.toml, graph.dot, certificate.json, draws.nc, summary.json, run.json
/// into the folder, each under a temporary name first, run.json last. While it runs, its subfolder
/// `resume` holds the unfinished draws and, about every `checkpoint_seconds`, a checkpoint; both
/// are kept where the run is interrupted or fails after one. Throws Refused before the first sweep
/// when the certificate forbids, RunError when it fails on the way.
MIXWELL_EXPORT RunResult run(const Composition& composition, const RunOptions& options);

/// The composition of the run that left a checkpoint in the folder, from the manifest in it. Throws
/// InputError, with the cure, where there is no checkpoint.
MIXWELL_EXPORT Composition load_interrupted(const std::string& folder, const Registry& registry);

/// summary.json of a draws.nc (or of the folder that holds one), computed from its draws.
MIXWELL_EXPORT std::string summarise(const std::string& folder_or_file,
                                     const SummaryOptions& options = {});

}  // namespace mixwell
