// Names that earlier versions had, and what to write instead.
// SPDX-License-Identifier: Apache-2.0
#include "base/removed_names.hpp"

#include <mixwell/error.hpp>

#include <array>

namespace mixwell {
namespace {

constexpr std::array removed = {
    RemovedName{"recorder/cmdstan-csv",
                "Take its table out of the manifest, and after the run write the CSV files with "
                "`mixwell export RUN --format cmdstan-csv`"}};

}  // namespace

std::span<const RemovedName> removed_names() noexcept { return removed; }

std::string suggestion_for(std::string_view name, std::string_view word,
                           std::span<const std::string> known) {
  for (const RemovedName& one : removed)
    if (one.name == name) return ". It was removed. " + std::string(one.cure);
  return suggestion(word, known);
}

}  // namespace mixwell
