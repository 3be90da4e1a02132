// A run by several ranks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/ranks.hpp"

#include <mixwell/base/export.hpp>
#include <mixwell/lab/run.hpp>

#include <optional>
#include <string>

namespace mixwell {

/// Part of together(): rank 0 throws InputError where another rank was started with another
/// program, manifest, plugin or data, or was given other `options`.
MIXWELL_INTERNAL void check_same_run(Ranks& ranks, const Composition& composition,
                                     const std::string& options);

/// run() with the replicates divided among the ranks, in blocks: the results are those of run(),
/// which rank 0 alone writes and returns. Learning that pools replicates takes all of them on every
/// rank. Costs a few messages a stretch of sweeps, the draws to rank 0, and, in each sweep that
/// learns from all replicates, what it reads to all ranks. With run.ranks "data" or "coordinates"
/// all ranks draw all replicates together (Composition::division). Throws as run() on rank 0.
MIXWELL_INTERNAL std::optional<RunResult> run_jointly(Ranks& ranks, const Composition& composition,
                                                      const RunOptions& options);

}  // namespace mixwell
