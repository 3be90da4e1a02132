// What `mixwell verify` found of a composition, for its certificate to tell afterwards.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>
#include <mixwell/lab/certificate.hpp>
#include <mixwell/lab/manifest.hpp>

#include <string>

namespace mixwell {

/// Where records are kept, one file for each composition: $XDG_STATE_HOME/mixwell/verified, by
/// default under ~/.local/state. Empty where neither variable is set.
MIXWELL_INTERNAL std::string tested_folder();

/// SHA-256 over what a test of the composition depends on: its effective manifest without recorders
/// and without what [run] says of one run (all but `warmup`), the libraries of its components,
/// libmixwell, and the data files. Reads them all.
MIXWELL_INTERNAL std::string composition_sha256(const Composition& composition);

/// Keeps a record in place of an earlier one; `tested.composition` and `tested.date` are filled in.
/// Throws RunError where the folder cannot be written.
MIXWELL_INTERNAL void keep_tested(const Composition& composition, Tested tested);

/// Fills in Certificate::tested from the record of this very composition, if there is one. A
/// damaged record gives a note that names it. Reads nothing but the folder's name where nothing was
/// kept.
MIXWELL_INTERNAL void find_tested(const Composition& composition, Certificate& certificate);

}  // namespace mixwell
