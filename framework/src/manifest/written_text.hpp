// A manifest that a program wrote, and no person has a file of.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>
#include <mixwell/lab/manifest.hpp>
#include <mixwell/lab/registry.hpp>

#include <string>

namespace mixwell {

/// "composition NAME": in messages, instead of a file.
MIXWELL_INTERNAL std::string place_of_written(const std::string& name);

/// As parse_manifest(), but messages have no line: those of the text mean nothing to anybody.
MIXWELL_INTERNAL Composition compose_written(const std::string& toml, const std::string& name,
                                             const Registry& registry);

}  // namespace mixwell
