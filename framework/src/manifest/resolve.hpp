// From declarations to components: names looked up, parameters checked, references wired.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "manifest/text.hpp"

#include <mixwell/lab/manifest.hpp>

namespace mixwell {

/// Everything of a composition but its name. Throws InputError.
Composition resolve(const ManifestText& manifest, const Registry& registry);

}  // namespace mixwell
