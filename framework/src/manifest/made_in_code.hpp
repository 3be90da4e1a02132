// Manifests that a program wrote, and no person has a file of.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/lab/manifest.hpp>
#include <mixwell/lab/registry.hpp>

#include <toml++/toml.h>

#include <memory>
#include <string>

namespace mixwell {

/// "composition NAME": in messages, instead of a file.
MIXWELL_INTERNAL std::string place_of_written(const std::string& name);

/// As parse_manifest(), but messages have no line: those of the text mean nothing to anybody.
MIXWELL_INTERNAL Composition compose_written(const std::string& toml, const std::string& name,
                                             const Registry& registry);

/// What `root`, a manifest at `path`, is with `model` instead of the one called `name`, which is
/// not made or read again. It gets that name, and keeps its `dims` and `coords`. Messages have no
/// line.
MIXWELL_INTERNAL Composition compose_on(const std::shared_ptr<Model>& model,
                                        const std::string& name, toml::table root,
                                        const std::string& path, const Registry& registry);

}  // namespace mixwell
