// Evidence for a certificate: stored results of `mixwell verify`, and publications.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "run/checkpoint.hpp"

#include <mixwell/base/export.hpp>
#include <mixwell/lab/certificate.hpp>
#include <mixwell/lab/manifest.hpp>

#include <string>
#include <vector>

namespace mixwell {

/// Whether records of `mixwell verify` may exist. If not, callers need not compute an origin.
MIXWELL_INTERNAL bool keeps_tested();

/// Stores a record and replaces an earlier record. The name of the record is the SHA-256 of
/// everything that a test of the composition depends on: the hashes of libmixwell, libraries and
/// data files, and the effective manifest without recorders and without the keys of [run] other
/// than `warmup`. Fills in `tested.composition` and `tested.date`. Throws RunError if the folder
/// cannot be written.
MIXWELL_INTERNAL void keep_tested(const Origin& origin, Tested tested);

/// Fills in Certificate::tested from the record of exactly this composition, if there is one. Adds
/// a note that names the record if it is damaged.
MIXWELL_INTERNAL void find_tested(const Origin& origin, Certificate& certificate);

/// Lists each work (authors and year) in Composition::sources once. Leaves out works that the
/// certificate already cites, and remarks in parentheses or after a semicolon. Empty if the
/// certificate promises nothing, or if no kernel contributes to the draws (run.prior).
MIXWELL_INTERNAL std::vector<Publication> published(const Composition& composition,
                                                    const Certificate& certificate);

}  // namespace mixwell
