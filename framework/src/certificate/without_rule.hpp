// The verdict that a certificate would give if one rule were left out. Tests use this verdict to
// show that each rule is needed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/lab/certificate.hpp>

namespace mixwell {

/// A rule that only permits something makes no difference, except rule P. Without rule P, nothing
/// checks whether an update shares a noise with values that it cannot influence.
MIXWELL_INTERNAL Verdict certify_without(const KernelGraph& graph, Rule rule);

}  // namespace mixwell
