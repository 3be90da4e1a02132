// A run that several ranks compute together.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/ranks.hpp"

#include <mixwell/base/export.hpp>
#include <mixwell/lab/run.hpp>

#include <optional>
#include <string>

namespace mixwell {

/// Part of together(). Rank 0 throws InputError if another rank was started with a different
/// program, manifest, plugin, data file or `options`.
MIXWELL_INTERNAL void check_same_run(Ranks& ranks, const Composition& composition,
                                     const std::string& options);

/// Does what run() does, with the replicates divided among the ranks in blocks. The results equal
/// the results of run(), and only rank 0 writes and returns them. If learning pools replicates,
/// every rank learns from all replicates. The communication is a few messages per stretch of
/// sweeps, and the draws to rank 0. Each sweep that learns from all replicates also sends the
/// values that learning reads to all ranks. With run.ranks "data" or "coordinates", all ranks draw
/// all replicates together (Composition::division). Rank 0 throws the errors of run().
MIXWELL_INTERNAL std::optional<RunResult> run_jointly(Ranks& ranks, const Composition& composition,
                                                      const RunOptions& options);

}  // namespace mixwell
