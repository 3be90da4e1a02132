// The last of three parts of resolving a manifest: values that follow from others.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "manifest/wiring.hpp"

#include <mixwell/lab/manifest.hpp>

namespace mixwell {

/// Defaults that depend on the model, what the run of a prior changes, the effective manifest, and
/// everything else of a composition but its name. Throws InputError for keys of [run] and dims that
/// the components have no use for.
Composition settle(WiredManifest wired);

}  // namespace mixwell
