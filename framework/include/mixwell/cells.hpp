// What the cells of a table say: numbers, missing values, labels.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>

#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace mixwell {

/// The finite number that the whole text spells, if it does. It may begin with one `+`.
MIXWELL_EXPORT std::optional<double> finite_number(std::string_view text) noexcept;

/// Whether a cell has no value: it is empty, or is one of the texts that pandas reads as missing
/// (`NA`, `N/A`, `NaN`, `NULL`, `None`, ...), `na`, or a single `?` or `.`, as the UCI repository,
/// SAS and Stata write it.
MIXWELL_EXPORT bool is_missing(std::string_view cell) noexcept;

/// The order of labels, and of the levels of a factor: numbers by value, so that 1, 01, +1 and 1.0
/// are the same label; after them all other texts.
struct MIXWELL_EXPORT LabelLess {
  bool operator()(std::string_view a, std::string_view b) const noexcept;
};

/// Of equal ones, the one that was inserted first.
using LabelSet = std::set<std::string, LabelLess>;

}  // namespace mixwell
