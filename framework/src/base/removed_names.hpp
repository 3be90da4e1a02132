// Names that earlier versions had, and what to write instead.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>

#include <span>
#include <string>
#include <string_view>

namespace mixwell {

/// `name` is KIND/ID of a component, KIND/ID.KEY or run.KEY of a manifest, or what stands on a
/// command line: `mixwell COMMAND`, `mixwell COMMAND --option`.
struct RemovedName {
  std::string_view name;
  std::string_view cure;  ///< imperative sentences
};

/// `name` is KIND/ID of a component whose source is in papers/`paper`/plugins.
struct GuestName {
  std::string_view name;
  std::string_view paper;
};

MIXWELL_INTERNAL std::span<const RemovedName> removed_names() noexcept;
MIXWELL_INTERNAL std::span<const GuestName> guest_names() noexcept;

/// `. It was removed. CURE` of a removed name; of a guest's which paper it comes with, and how to
/// build it; of any other suggestion(word, known).
MIXWELL_INTERNAL std::string suggestion_for(std::string_view name, std::string_view word,
                                            std::span<const std::string> known);

}  // namespace mixwell
