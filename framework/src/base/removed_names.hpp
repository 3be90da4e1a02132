// Names from earlier versions, and what to write instead.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>

#include <span>
#include <string>
#include <string_view>

namespace mixwell {

/// `name` is KIND/ID of a component, KIND/ID.KEY or run.KEY of a manifest, or part of a command
/// line: `mixwell COMMAND`, `mixwell COMMAND --option`.
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

/// For a removed name: `. It was removed. CURE`. For a guest's name: the paper that it comes with,
/// and how to build it. For any other name: suggestion(word, known).
MIXWELL_INTERNAL std::string suggestion_for(std::string_view name, std::string_view word,
                                            std::span<const std::string> known);

}  // namespace mixwell
