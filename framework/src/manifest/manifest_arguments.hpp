// A manifest as the command line names it, and the plugins to read it with.
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
/// Throws InputError where there is no such file. `what` it is: "program".
MIXWELL_INTERNAL void require_file(const std::string& path, const char* what);
/// Of a manifest, or of the defaults around a program in the Stan language (`x.stan`). Throws
/// InputError. `ranks`: as load_manifest's.
MIXWELL_INTERNAL Composition load(const ManifestArguments& arguments, const Registry& registry,
                                  Ranks* ranks = nullptr);

}  // namespace mixwell
