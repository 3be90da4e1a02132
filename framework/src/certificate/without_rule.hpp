// What a certificate would say if one of its rules were not asked: so that tests can show that it
// would be missed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/lab/certificate.hpp>

namespace mixwell {

/// A rule that only permits something has nothing to leave out, except rule P:
/// without it nobody asks whether what an update cannot influence shares a noise with it.
MIXWELL_INTERNAL Verdict certify_without(const KernelGraph& graph, Rule rule);

}  // namespace mixwell
