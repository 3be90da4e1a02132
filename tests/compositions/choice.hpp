// What may stand in a generated manifest: a component, or a value of one of its keys.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/lab/registry.hpp>

#include <compare>
#include <string>
#include <vector>

namespace compositions {

/// A component (`key` empty), or a value that one of its keys has.
struct Choice {
  mixwell::Kind kind = mixwell::Kind::model;
  std::string id = {};
  std::string key = {};
  std::string value = {};  ///< as TOML; "" = the key is left out

  /// "kernel/hamiltonian" or "kernel/hamiltonian.coupling = \"mass\"".
  std::string text() const;
  auto operator<=>(const Choice&) const = default;
};

/// A value of a key, and whether it is the one that holds where the key is left out.
struct Value {
  std::string toml;
  bool is_default = false;
};

/// All values that a generated manifest tries for a key. Words of a list and flags come from the
/// declaration; numbers, lists and files from the table in choice.cpp, by "kind/id.key" or by key.
/// Empty where the key keeps its default; of a key that must be given and that nothing is known
/// about, throws std::runtime_error.
std::vector<Value> values_of(mixwell::Kind kind, const std::string& id,
                             const mixwell::Field& field);

/// Throws std::runtime_error for an entry of the table in choice.cpp that names no component's key.
void check_values(const mixwell::Registry& registry);

/// Ids of a kind that a reference may name.
std::vector<std::string> ids_for(const mixwell::Registry& registry, mixwell::Kind kind,
                                 const std::string& purpose);

/// Every component of compositors, kernels, integrators, oracles and estimators, and every value of
/// their keys that is tried.
std::vector<Choice> all_choices(const mixwell::Registry& registry);

/// Files that values name, written into `folder`/data.
void write_fixtures(const std::string& folder);

}  // namespace compositions
