// What a certificate tells beside the rules: what `mixwell verify` found, and who published
// methods. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "run/checkpoint.hpp"

#include <mixwell/base/export.hpp>
#include <mixwell/lab/certificate.hpp>
#include <mixwell/lab/manifest.hpp>

#include <string>
#include <vector>

namespace mixwell {

/// Whether there may be records: where not, nobody need know an origin.
MIXWELL_INTERNAL bool keeps_tested();

/// Keeps a record in place of an earlier one, under the SHA-256 of what a test of the composition
/// depends on: its effective manifest without recorders and without what [run] says of one run (all
/// but `warmup`), and the hashes of libmixwell, libraries and data files. `tested.composition` and
/// `tested.date` are filled in. Throws RunError where the folder cannot be written.
MIXWELL_INTERNAL void keep_tested(const Origin& origin, Tested tested);

/// Fills in Certificate::tested from the record of this very composition, if there is one. A
/// damaged record gives a note that names it.
MIXWELL_INTERNAL void find_tested(const Origin& origin, Certificate& certificate);

/// Of Composition::sources each work (authors and year) once, and none that the certificate cites
/// already. Remarks in parentheses and after a semicolon are left out. Empty where the certificate
/// promises nothing, and where no kernel has a part in the draws (run.prior).
MIXWELL_INTERNAL std::vector<Publication> published(const Composition& composition,
                                                    const Certificate& certificate);

}  // namespace mixwell
