// Cases for classification: one column of inputs for each case, and the index of its class.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "table.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mixwell::network {

/// N cases.
struct Cases {
  Eigen::MatrixXd inputs;      ///< d x N
  std::vector<Index> classes;  ///< one for each case

  Index size() const noexcept { return inputs.cols(); }
};

/// The labels of the training data, sorted. The index of a label is its class.
inline std::vector<std::string> classes_of(const Table& table) {
  const LabelSet all(table.labels.begin(), table.labels.end());
  return {all.begin(), all.end()};
}

/// Throws InputError for a label that is not in `classes`, and for an input that is not finite.
inline Cases cases_of(const Table& table, const std::vector<std::string>& classes) {
  Cases cases;
  cases.inputs = table.inputs.transpose();
  const LabelLess less;
  for (Index n = 0; n < cases.size(); ++n) {
    const std::string& label = table.labels[static_cast<std::size_t>(n)];
    const auto found = std::lower_bound(classes.begin(), classes.end(), label, less);
    if (found == classes.end() || less(label, *found))
      throw InputError(table.place(n) + ": the label " + quoted(label) +
                       " does not occur in the training data. Remove the case, or train on data "
                       "with this label.");
    cases.classes.push_back(found - classes.begin());
  }
  return cases;
}

/// `count` cases, starting with case `first`.
inline Cases some(const Cases& all, Index first, Index count) {
  const auto begin = all.classes.begin() + first;
  return {all.inputs.middleCols(first, count), {begin, begin + count}};
}

}  // namespace mixwell::network
