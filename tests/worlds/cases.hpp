// Sources of cases: random compositions, the table of known ones, manifests.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "judge.hpp"

#include <mixwell/lab/registry.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace mixwell::testing {

struct RandomCompositions {
  std::uint64_t seed = 1;
  std::int64_t cases = 1000;
  double seconds = 60.0;
  std::string folder =
      "out/worlds";  ///< for the data files of manifests, and for the manifests of holes
  Effort effort{};
};

/// Judges random compositions. Prints a line for each hole and keeps its manifest in the folder.
/// Then prints how many compositions called exact or biased had each judgement, and why some have
/// no finite reading. Returns whether there is a hole.
bool judge_random_compositions(const RandomCompositions& what);

/// Rows of `kind` (all if it is empty), columns separated by tabs:
///   tape      name  judgement   tape      language
///   count     name  right/hole  -         language    of all its wirings
///   manifest  name  judgement   path      -           below the folder of the sources
///   planted   rule N  hole      - or path language    of it, or of the manifest, without rule N
/// Prints the rows that are otherwise; true: none is, and there is a row.
bool compare_with_table(const std::string& path, const std::string& kind, const Effort& effort);

/// `trouble` is the reason why a manifest cannot be composed here.
struct ManifestCase {
  Case found;
  std::string graph{};  ///< in words
  std::string trouble{};
};
ManifestCase judged_manifest(const std::string& path, const Registry& registry,
                             const Effort& effort);

/// Prints a line for each manifest, and its graph if requested. Returns whether one is a hole.
bool judge_manifests(const std::vector<std::string>& paths, bool graph, const Effort& effort);

}  // namespace mixwell::testing
