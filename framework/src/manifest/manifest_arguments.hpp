// Loads the manifest and plugins that a command line names.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/lab/manifest.hpp>
#include <mixwell/lab/registry.hpp>

#include <string>
#include <vector>

namespace mixwell {

/// A manifest and its `--set` options.
struct ManifestArguments {
  std::string path = {};
  std::vector<std::string> settings = {};
};

MIXWELL_INTERNAL Registry load_registry();
/// Throws InputError if the file does not exist or is a folder. `what` names the type of the file,
/// such as "program".
MIXWELL_INTERNAL void require_file(const std::string& path, const char* what);
/// Loads a manifest, or a Stan program (`x.stan`) with all defaults. Throws InputError. `ranks`:
/// see load_manifest().
MIXWELL_INTERNAL Composition load(const ManifestArguments& arguments, const Registry& registry,
                                  Ranks* ranks = nullptr);

}  // namespace mixwell
