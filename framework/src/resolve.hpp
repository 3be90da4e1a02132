// From declarations to components: names looked up, parameters checked, references wired.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/manifest.hpp>

#include "manifest_text.hpp"

namespace mixwell {

/// Everything of a composition but its name. Throws InputError.
Composition resolve(const ManifestText& manifest, const Registry& registry);

}  // namespace mixwell
