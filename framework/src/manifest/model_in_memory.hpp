// A manifest on a model that is there already.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>
#include <mixwell/lab/manifest.hpp>
#include <mixwell/lab/registry.hpp>

#include <toml++/toml.h>

#include <memory>
#include <string>

namespace mixwell {

/// What parse_manifest makes of `root`, a manifest at `path`, with `model` instead of the one
/// called `name`, which is not made or read again. It gets that name, and keeps its `dims` and
/// `coords`.
MIXWELL_INTERNAL Composition compose_on(const std::shared_ptr<Model>& model,
                                        const std::string& name, toml::table root,
                                        const std::string& path, const Registry& registry);

}  // namespace mixwell
