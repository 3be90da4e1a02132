// The place where the value of a manifest's key is stored, for code that reads manifests and
// describes keys.
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

/// Maps a name to texts: a table of lists such as `coords.group = ["Ulm", "Bonn"]`.
using NamedTexts = std::map<std::string, std::vector<std::string>>;

using FieldTargetBase =
    std::variant<double*, std::optional<double>*, std::int64_t*, std::optional<std::int64_t>*,
                 bool*, std::string*, std::optional<std::string>*, std::vector<double>*,
                 std::vector<std::string>*, std::optional<Interval>*, NamedPoints*, NamedTexts*,
                 ComponentReference, TableList>;

/// A pointer to the value of a key, by its type.
struct FieldTarget : FieldTargetBase {
  using FieldTargetBase::FieldTargetBase;
};

}  // namespace mixwell
