// Keys that may have no effect on a base and are not refused there, and why.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

namespace idle_keys {

struct Allowed {
  std::string key;   ///< "kernel/nuts.max_depth"
  std::string with;  ///< the other setting, "key = value"; "*": any, and the key by itself
  std::string reason;
  std::string manifest;  ///< in which the key does have an effect, as the reason says
  std::string value;     ///< other than its own there
};

std::span<const Allowed> allowed();

}  // namespace idle_keys
