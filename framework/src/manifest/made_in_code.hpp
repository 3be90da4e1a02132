// Manifests that a program makes in memory, without a file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/lab/manifest.hpp>
#include <mixwell/lab/registry.hpp>

#include <toml++/toml.h>

#include <memory>
#include <string>

namespace mixwell {

/// The text "composition NAME" that error messages show instead of a file name.
MIXWELL_INTERNAL std::string place_of_written(const std::string& name);

/// Like parse_manifest(), but error messages give no line numbers, because the user has no such
/// file.
MIXWELL_INTERNAL Composition compose_written(const std::string& toml, const std::string& name,
                                             const Registry& registry);

/// Composes `root`, a manifest at `path`, with `model` instead of the model called `name`, which is
/// neither made nor read. `model` gets the name, the `dims` and the `coords` of the model that it
/// replaces. Error messages give no line numbers.
MIXWELL_INTERNAL Composition compose_on(const std::shared_ptr<Model>& model,
                                        const std::string& name, toml::table root,
                                        const std::string& path, const Registry& registry);

}  // namespace mixwell
