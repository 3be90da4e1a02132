// What a model offers of its parameters, as messages list it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace mixwell::model_part {

/// "[theta], [mu, theta]"
inline std::string listed(const std::vector<std::vector<std::string>>& offered) {
  std::string text;
  for (const std::vector<std::string>& names : offered) {
    text += text.empty() ? "[" : ", [";
    for (const std::string& name : names) text += (name == names.front() ? "" : ", ") + name;
    text += "]";
  }
  return text;
}

}  // namespace mixwell::model_part
