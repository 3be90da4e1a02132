// Remarks about a regression's table: what was left out, and how the rest is coded.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "design.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace mixwell::regression {

namespace detail {

/// The first few names, in quotes, and the number of the others.
template <class NameOf>
std::string first_few(const std::vector<Index>& columns, const NameOf& name_of) {
  constexpr std::size_t most = 3;
  std::string text;
  for (std::size_t k = 0; k < std::min(columns.size(), most); ++k)
    text += (k == 0 ? "" : ", ") + quoted(name_of(columns[k]));
  const std::size_t more = columns.size() - std::min(columns.size(), most);
  return more == 0 ? text : text + " and " + std::to_string(more) + " more";
}

inline void add_remark_on_constant_columns(const Design& design, const std::string& path,
                                           std::vector<std::string>& remarks) {
  const std::vector<Index>& constant = design.constant_columns();
  if (constant.empty()) return;
  const std::string names = first_few(constant, [&](Index j) { return design.column_name(j); });
  const bool is_one = constant.size() == 1;
  const std::string which = is_one ? "Column " + names + " of " + path +
                                         " is constant. It is centred to 0 and not scaled, so the "
                                         "posterior of its coefficient is the prior."
                                   : std::to_string(constant.size()) + " of the " +
                                         std::to_string(design.column_count()) + " columns of " +
                                         path + " are constant (" + names +
                                         "). They are centred to 0 and not scaled, so the "
                                         "posteriors of their coefficients are the priors.";
  remarks.push_back(which);
}

inline void add_remark_on_references(const Design& design, std::vector<std::string>& remarks) {
  std::string texts;
  for (const Factor& factor : design.factors())
    texts += (texts.empty() ? "" : ", ") + quoted(factor.categories.levels.front()) + " of " +
             quoted(factor.name);
  if (!texts.empty()) remarks.push_back("Reference levels of the factors: " + texts + ".");
}

}  // namespace detail

inline std::vector<std::string> remarks_on(const Design& design, const Predictors& table) {
  std::vector<std::string> remarks;
  if (!table.dropped.empty()) remarks.push_back(table.dropped);
  if (table.has_row_names)
    remarks.push_back("The first column of " + table.path +
                      " has no name, so it is read as row names.");
  detail::add_remark_on_references(design, remarks);
  detail::add_remark_on_constant_columns(design, table.path, remarks);
  return remarks;
}

}  // namespace mixwell::regression
