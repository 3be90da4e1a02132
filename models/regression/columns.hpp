// The columns of a CSV file that a regression has beside the response: inputs, factors, offsets,
// weights.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "case_numbers.hpp"
#include "labels.hpp"
#include "missing.hpp"

#include <mixwell/plugin.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mixwell::regression {

/// Which column is what.
struct ColumnChoice {
  std::optional<std::string> response;
  std::vector<std::string> inputs;  ///< empty = all columns that are nothing else
  std::vector<std::string> factors;
  std::optional<std::string> offset;
  std::optional<std::string> weights;
  std::string missing = "refuse";
};

/// A column of categories of the cases.
struct Factor {
  std::string name;
  Categories categories;
};

/// What N cases have beside their responses.
struct Predictors {
  std::string path;
  std::vector<std::string> names;  ///< of the inputs; empty = they are numbered
  Eigen::MatrixXd inputs;          ///< N x (number of inputs)
  std::vector<Factor> factors{};   ///< csv: columns of categories
  CaseNumbers numbers{};           ///< csv: offsets and weights
  std::string dropped{};           ///< csv: a remark on rows left out for a missing value
  bool has_row_names = false;      ///< csv: the first column, which has no name
};

namespace detail {

inline void require_column(const CsvTable& csv, const std::string& key, const std::string& column) {
  if (csv.has(column)) return;
  throw ParameterError(
      key, "no column " + quoted(column) + " in " + csv.path() + suggestion(column, csv.columns()));
}

/// The columns that are named for what they are, with the key that names each; none is two things.
inline std::map<std::string, std::string> named_columns(const CsvTable& csv,
                                                        const ColumnChoice& choice) {
  std::map<std::string, std::string> keys;
  const auto add = [&](const std::string& key, const std::string& column) {
    require_column(csv, key, column);
    const auto [other, is_new] = keys.emplace(column, key);
    if (is_new) return;
    const std::string what = other->second == key ? quoted(column) + " twice"
                             : other->second == "response"
                                 ? "the response " + quoted(column)
                                 : quoted(column) + ", which is in " + other->second;
    throw ParameterError(key, "names " + what);
  };
  add("response", *choice.response);
  if (choice.offset) add("offset", *choice.offset);
  if (choice.weights) add("weights", *choice.weights);
  for (const std::string& factor : choice.factors) add("factors", factor);
  for (const std::string& input : choice.inputs) add("inputs", input);
  return keys;
}

/// Those that no key names. Each has its own name.
inline std::vector<std::string> other_columns(const CsvTable& csv,
                                              const std::map<std::string, std::string>& keys) {
  std::vector<std::string> others;
  std::copy_if(csv.columns().begin(), csv.columns().end(), std::back_inserter(others),
               [&](const std::string& column) { return !keys.contains(column); });
  try {
    for (const std::string& column : others) csv.find(column);
  } catch (const InputError& fault) {
    throw InputError(fault.what() + std::string(", or list the columns to regress on in `inputs`"));
  }
  return others;
}

/// The columns of numbers to regress on: those that are named, or all that no other key names.
inline std::vector<std::string> chosen_inputs(const CsvTable& csv, const ColumnChoice& choice) {
  const auto keys = named_columns(csv, choice);
  std::vector<std::string> inputs = choice.inputs;
  if (inputs.empty()) inputs = other_columns(csv, keys);
  if (inputs.empty() && choice.factors.empty())
    throw InputError(csv.path() + ": no input columns: the response " + quoted(*choice.response) +
                     (keys.size() == 1 ? " is the only column" : " and others take all columns"));
  return inputs;
}

/// All columns that have a part in the model.
inline std::vector<std::string> used_columns(const ColumnChoice& choice,
                                             const std::vector<std::string>& inputs) {
  std::vector<std::string> columns = inputs;
  columns.push_back(*choice.response);
  columns.insert(columns.end(), choice.factors.begin(), choice.factors.end());
  if (choice.offset) columns.push_back(*choice.offset);
  if (choice.weights) columns.push_back(*choice.weights);
  return columns;
}

/// `known`: the factors of the training table, or null for that one itself.
inline Factor factor_of(const CsvTable& csv, const std::string& column, const Factor* known) {
  if (known != nullptr) return {column, csv.categories(column, known->categories.levels)};
  Factor factor{column, csv.categories(column)};
  if (factor.categories.levels.size() < 2)
    throw ParameterError("factors", quoted(column) + " has the level " +
                                        regression::quoted(factor.categories.levels.front()) +
                                        " in all rows of " + csv.path());
  return factor;
}

/// A column of numbers; of a cell that is none, or against the rule, `wanted` says which key of the
/// manifest names the column, and what it wants.
inline Eigen::VectorXd numbers_for(const std::string& wanted, const CsvTable& csv,
                                   const std::string& column, const NumberRule& rule = {}) {
  try {
    return csv.numbers(column, rule);
  } catch (const InputError& fault) {
    throw InputError(fault.what() + ("; " + wanted));
  }
}

}  // namespace detail

/// Names the inputs, and takes rows out that lack a value. `training`: the table that inputs and
/// levels of factors come from, or null for that one itself.
inline Predictors settled(CsvTable& csv, const ColumnChoice& choice, const Predictors* training) {
  Predictors all;
  all.path = csv.path();
  all.has_row_names = csv.has_row_names();
  all.names = training == nullptr ? detail::chosen_inputs(csv, choice) : training->names;
  all.dropped = csv.settle_missing(detail::used_columns(choice, all.names), choice.missing,
                                   ", and `inputs` says which columns count; a level that is spelt "
                                   "so needs another name");
  return all;
}

inline std::vector<Index> all_rows(const CsvTable& csv) {
  std::vector<Index> rows(static_cast<std::size_t>(csv.rows()));
  std::iota(rows.begin(), rows.end(), Index{0});
  return rows;
}

/// Fills in what the rows `kept` of a settled table have.
inline void read_rows(Predictors& all, const CsvTable& csv, const ColumnChoice& choice,
                      const std::vector<Index>& kept, const Predictors* training) {
  all.inputs.resize(std::ssize(kept), std::ssize(all.names));
  for (Index j = 0; j < all.inputs.cols(); ++j)
    all.inputs.col(j) = detail::numbers_for(
        "`inputs` are columns of numbers, and one of words belongs in `factors`", csv,
        all.names[static_cast<std::size_t>(j)])(kept);
  for (std::size_t k = 0; k < choice.factors.size(); ++k) {
    Factor factor = detail::factor_of(csv, choice.factors[k],
                                      training == nullptr ? nullptr : &training->factors[k]);
    std::vector<Index> codes;
    for (const Index row : kept)
      codes.push_back(factor.categories.codes[static_cast<std::size_t>(row)]);
    factor.categories.codes = std::move(codes);
    all.factors.push_back(std::move(factor));
  }
  if (choice.offset)
    all.numbers.offset =
        detail::numbers_for("`offset` names a column of numbers", csv, *choice.offset)(kept);
  if (choice.weights)
    all.numbers.weights = detail::numbers_for("`weights` names a column of numbers above 0", csv,
                                              *choice.weights, {.least = 0, .is_open = true})(kept);
}

}  // namespace mixwell::regression
