// Looks for keys that change nothing, and of which nobody is told.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/lab/registry.hpp>

#include <string>
#include <vector>

namespace idle_keys {

struct Idle {
  std::string key;   ///< "kernel/langevin.exponent"
  std::string with;  ///< "schedule = \"constant\"" where another key of the table has that; else ""

  std::string text() const { return key + (with.empty() ? "" : " with " + with); }
};

/// Keys of the component that no value tried changes anything with, and that are not refused: on
/// its base, and where one other key of its table has another value.
std::vector<Idle> idle_keys_of(const mixwell::Registry& registry, const mixwell::Entry& entry);

}  // namespace idle_keys
