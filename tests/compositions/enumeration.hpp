// Which compositions there are: a set in which every pair of choices that can stand together does.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "draft.hpp"

#include <mixwell/lab/registry.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace compositions {

/// A draft that type-checks.
struct Candidate {
  Draft draft;
  std::string id;           ///< Draft::name and a hash of the text: its manifest is ID.toml
  std::string certificate;  ///< the label, and "after warm-up"
  std::string rule;         ///< that decided
};

struct EnumerationSettings {
  std::string folder;  ///< where manifests will lie, beside their fixtures
  std::uint64_t seed = 1;
  std::int64_t draws = 8000;  ///< at random, before pairs that are missing are sought
  std::int64_t attempts = 4;  ///< for each pair that no draw has
};

struct Enumeration {
  /// Those that are kept, so that every pair of choices, and of a choice and a certificate with its
  /// rule, that occurs in any draft that type-checks occurs in one of them; every component too.
  std::vector<Candidate> kept;
  std::int64_t drawn = 0;
  std::int64_t composed = 0;                    ///< distinct ones that type-check
  std::map<std::string, std::int64_t> refused;  ///< how many drafts, by reason
  std::int64_t pairs = 0;                       ///< of choices that stand together
  std::int64_t never_together = 0;              ///< pairs that were not met in all attempts
  /// Registered components that no draft that type-checks has.
  std::vector<std::string> missing;
};

/// Depends only on registry and settings.
Enumeration enumerate(const mixwell::Registry& registry, const EnumerationSettings& settings);

/// Numbers of members which together show all that any member shows. Greedy: each is one that shows
/// most of what none before it shows; of equals the first.
std::vector<std::size_t> cover(const std::vector<std::vector<std::uint64_t>>& shown_by);

}  // namespace compositions
