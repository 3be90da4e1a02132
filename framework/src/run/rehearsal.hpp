// Finds every error that a run would report before its first sweep, without starting the run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "run/chunks.hpp"

#include <mixwell/base/export.hpp>
#include <mixwell/lab/certificate.hpp>
#include <mixwell/lab/manifest.hpp>
#include <mixwell/lab/sampler.hpp>
#include <mixwell/recorder.hpp>

#include <vector>

namespace mixwell {

/// The information about a run for recorders, without its folder and its time.
RunHeader run_header(const Composition& composition, const Verdict& verdict,
                     const std::vector<Column>& columns);

/// Throws InputError for a name in summary_rows that names nothing in the posterior.
void check_summary_rows(const Composition& composition, const RunHeader& header);

/// Throws InputError if run.record_warmup is true but warmup and sampling record different
/// variables.
void check_warmup_columns(const Composition& composition, const DrawChunks& warmup,
                          const DrawChunks& sampling);

/// Throws InputError if there is too little memory to summarise all draws. Does not check runs that
/// a stop rule may end earlier.
void check_summary_memory(const RunSettings& settings, Index chains);

/// Does what run() does before its first sweep, but makes no result folder: allocates memory, finds
/// the starting points of all replicates, and checks recorded names. Recorders open their files in
/// a temporary folder. Throws what run() would throw. `program`: the result of compose() for this
/// composition.
MIXWELL_INTERNAL void rehearse(const Composition& composition, Program program);

}  // namespace mixwell
