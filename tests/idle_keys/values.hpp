// Values other than its own that a key is tried with.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/lab/registry.hpp>

#include <string>
#include <vector>

namespace idle_keys {

/// A key of the subject's table and a value as TOML; `tables` stand beside it in the manifest.
struct Setting {
  std::string key;
  std::string value;
  std::string tables{};
};

/// A key, and what it is set to.
struct Trial {
  std::string name;               ///< "step_size", "update.every"
  std::vector<Setting> settings;  ///< none of them the value that it has by itself
};

/// All keys of a component. Words and flags come from the declaration, numbers from their ranges;
/// texts, lists, files and references from the table in values.cpp. Throws std::runtime_error for a
/// key that has neither, and for a row of the table that names no key.
std::vector<Trial> trials_of(const mixwell::Entry& entry);
void check_table(const mixwell::Registry& registry);

}  // namespace idle_keys
