// What a manifest computes, in a form that two manifests can be compared by.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/lab/manifest.hpp>
#include <mixwell/lab/registry.hpp>

#include <string>
#include <vector>

namespace idle_keys {

struct Outcome {
  bool is_refused = false;
  std::string what;  ///< a hash of all that was computed and said, or the refusal

  bool operator==(const Outcome&) const = default;
};

/// Composes the manifest and runs it for its few sweeps: the outcome is a hash of every recorded
/// number of both phases, what the model says of its data, the certificate, and remarks. `files`:
/// runs it into a folder instead and takes what its recorders wrote, which takes longer.
Outcome outcome_of(const mixwell::Registry& registry, const std::string& manifest,
                   const std::vector<mixwell::Override>& changes, bool files);

}  // namespace idle_keys
