// Values that a case may have besides inputs and response: an offset and a weight.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <Eigen/Core>

#include <vector>

namespace mixwell::regression {

/// One number for each case, or empty. `offset` is added to x theta; `weights` says how often a
/// case counts.
struct CaseNumbers {
  Eigen::VectorXd offset;
  Eigen::VectorXd weights;
};

/// The vectors that are not empty, with their names in results.
inline std::vector<NamedValues> constant_data(const CaseNumbers& numbers) {
  std::vector<NamedValues> all;
  const auto add = [&all](const char* name, const Eigen::VectorXd& values) {
    if (values.size() > 0)
      all.push_back(
          {.name = name, .shape = {values.size()}, .values = {values.begin(), values.end()}});
  };
  add("offset", numbers.offset);
  add("weights", numbers.weights);
  return all;
}

}  // namespace mixwell::regression
