// Where the methods of a composition were published.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>
#include <mixwell/lab/certificate.hpp>
#include <mixwell/lab/manifest.hpp>

#include <vector>

namespace mixwell {

/// Of Composition::sources each work (authors and year) once, and none that the certificate cites
/// already. Remarks in parentheses and after a semicolon are left out. Empty where the certificate
/// promises nothing, and where no kernel has a part in the draws (run.prior).
MIXWELL_INTERNAL std::vector<Publication> published(const Composition& composition,
                                                    const Certificate& certificate);

}  // namespace mixwell
