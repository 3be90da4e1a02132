// From declarations to components: names looked up, parameters checked, references wired.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "manifest/text.hpp"

#include <mixwell/lab/manifest.hpp>

#include <memory>

namespace mixwell {

/// Description::purpose of a recorder that writes draws.nc, which summaries read.
inline constexpr const char* draws_file_purpose = "draws.nc";

/// Everything of a composition but its name; its components keep the manifest, for what is refused
/// later. Throws InputError.
/// `ranks`: as load_manifest's.
Composition resolve(std::shared_ptr<const ManifestText> manifest, const Registry& registry,
                    Ranks* ranks = nullptr);

}  // namespace mixwell
