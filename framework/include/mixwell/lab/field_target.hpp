// The variable that receives the value of a manifest's key.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/component/fields.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace mixwell {

/// Maps a name to strings: a table of lists such as `coords.group = ["Ulm", "Bonn"]`.
using NamedTexts = std::map<std::string, std::vector<std::string>>;

using FieldTargetBase =
    std::variant<double*, std::optional<double>*, std::int64_t*, std::optional<std::int64_t>*,
                 bool*, std::string*, std::optional<std::string>*, std::vector<double>*,
                 std::vector<std::string>*, std::optional<Interval>*, NamedPoints*, NamedTexts*,
                 ComponentReference, TableList>;

/// Points to the variable that receives the value of a key. The std::variant has one alternative
/// for each type of value.
struct FieldTarget : FieldTargetBase {
  using FieldTargetBase::FieldTargetBase;
};

}  // namespace mixwell
