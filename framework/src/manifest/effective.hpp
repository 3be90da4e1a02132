// The effective manifest of a run: the manifest with every default filled in.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/component/fields.hpp>

#include <string>
#include <vector>

namespace mixwell {

struct Instance;
struct KeyTable;

/// A line `key = value  # comment`, or `# key is not set: comment` if the key has no value.
struct EffectiveLine {
  std::string key;
  std::string value;  ///< TOML text, or "" if the parameter has no value
  std::string comment;
};

/// One table.
struct EffectiveTable {
  std::string heading;  ///< "run", "kernel.hmc"
  std::vector<EffectiveLine> lines;
};

/// The value of the field in the table, or its default. Empty if the table gives another key that
/// replaces this key. Also empty if this key replaces another key and the table does not give this
/// key, because a manifest may hold only one of the two.
std::string effective_value(const KeyTable& keys, const Fields& fields, const Field& field);

/// The comment that follows the value of a field: its help, its condition and its unit.
std::string comment_for(const Field& field);

/// The table of a component, with every key.
EffectiveTable effective(const Instance& instance);

/// The whole effective manifest.
MIXWELL_INTERNAL std::string effective_text(const std::vector<EffectiveTable>& tables);

/// The tables of an effective manifest with all keys, set or not. A value includes the comment that
/// follows it.
MIXWELL_INTERNAL std::vector<EffectiveTable> read_effective(const std::string& text);

}  // namespace mixwell
