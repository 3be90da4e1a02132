// Certificates of real compositions beside finite worlds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "judge.hpp"

#include <mixwell/lab/registry.hpp>

#include <string>
#include <vector>

namespace mixwell::testing {

/// `trouble` is what was wrong with a manifest that cannot be composed here.
struct ManifestCase {
  Case found;
  std::string graph{};  ///< in words
  std::string trouble{};
};
ManifestCase judged_manifest(const std::string& path, const Registry& registry,
                             const Effort& effort);

/// Prints a line for each, and its graph where that is asked for; true: one is a hole.
bool judge_manifests(const std::vector<std::string>& paths, bool graph, const Effort& effort);

}  // namespace mixwell::testing
