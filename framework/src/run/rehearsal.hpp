// What a run refuses before its first draw, found without one.
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

/// What recorders are told of a run, but for its folder and its time.
RunHeader run_header(const Composition& composition, const Verdict& verdict,
                     const std::vector<Column>& columns);

/// Throws InputError for a name in summary_rows that is nothing of the posterior.
void check_summary_rows(const Composition& composition, const RunHeader& header);

/// Throws InputError where a warm-up is to be recorded that has other variables.
void check_warmup_columns(const Composition& composition, const DrawChunks& warmup,
                          const DrawChunks& sampling);

/// Throws InputError where the draws of a run that nothing ends earlier are too many to be
/// summarised in the memory that there is.
void check_summary_memory(const RunSettings& settings, Index chains);

/// Does what run() does up to its first sweep, but for what concerns its folder: memory, starting
/// points of all replicates, what is recorded under which names; recorders open their files in a
/// temporary folder. Throws what run() would throw. `program`: what the composition composes.
MIXWELL_INTERNAL void rehearse(const Composition& composition, Program program);

}  // namespace mixwell
