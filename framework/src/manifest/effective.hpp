// The manifest that a run turned out to have: every default filled in.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/component/fields.hpp>

#include <string>
#include <vector>

namespace mixwell {

struct Instance;
struct KeyTable;

/// `key = value  # comment`; without a value: `# key is not set: comment`.
struct EffectiveLine {
  std::string key;
  std::string value;  ///< TOML text, or "" where the parameter holds none
  std::string comment;
};

/// One table.
struct EffectiveTable {
  std::string heading;  ///< "run", "kernel.hmc"
  std::vector<EffectiveLine> lines;
};

/// What the table gives for the field, or its default. Empty where another key says it instead, and
/// of a key that could have said what another one says: only one of the two may be read again.
std::string effective_value(const KeyTable& keys, const Fields& fields, const Field& field);

/// What is said about a field behind its value: its help, with the unit.
std::string comment_for(const Field& field);

/// Of a component, with every key.
EffectiveTable effective(const Instance& instance);

/// The whole file.
MIXWELL_INTERNAL std::string effective_text(const std::vector<EffectiveTable>& tables);

/// Its tables with all keys that their components have, set or not; a value has its comment behind
/// it.
MIXWELL_INTERNAL std::vector<EffectiveTable> read_effective(const std::string& text);

}  // namespace mixwell
