// The columns of a CSV file besides the response: inputs, factors, offsets and weights.
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

/// The manifest keys that assign roles to columns.
struct ColumnChoice {
  std::optional<std::string> response;
  std::vector<std::string> inputs;  ///< empty = all columns without another role
  std::vector<std::string> factors;
  std::optional<std::string> offset;
  std::optional<std::string> weights;
  std::string missing = "refuse";
};

/// A categorical column of the table.
struct Factor {
  std::string name;
  Categories categories;
};

/// The data of N cases besides their responses.
struct Predictors {
  std::string path;
  std::vector<std::string> names;  ///< names of the inputs; empty = they are numbered
  Eigen::MatrixXd inputs;          ///< N x (number of inputs)
  std::vector<Factor> factors{};   ///< csv: categorical columns
  CaseNumbers numbers{};           ///< csv: offsets and weights
  std::string dropped{};           ///< csv: a remark about rows left out because a value is missing
  bool has_row_names = false;      ///< csv: the first column has no name and contains row names
};

namespace detail {

inline void require_column(const CsvTable& csv, const std::string& key, const std::string& column) {
  if (csv.has(column)) return;
  throw ParameterError(key, "there is no column " + quoted(column) + " in " + csv.path() +
                                suggestion(column, csv.columns()));
}

/// The key for each column that has a role. Throws ParameterError if a column has two roles.
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
                                 : quoted(column) + ", which `" + other->second + "` already names";
    throw ParameterError(key, "must not name " + what);
  };
  add("response", *choice.response);
  if (choice.offset) add("offset", *choice.offset);
  if (choice.weights) add("weights", *choice.weights);
  for (const std::string& factor : choice.factors) add("factors", factor);
  for (const std::string& input : choice.inputs) add("inputs", input);
  return keys;
}

/// The columns that no key names. Each has a unique name.
inline std::vector<std::string> other_columns(const CsvTable& csv,
                                              const std::map<std::string, std::string>& keys) {
  std::vector<std::string> others;
  std::copy_if(csv.columns().begin(), csv.columns().end(), std::back_inserter(others),
               [&](const std::string& column) { return !keys.contains(column); });
  try {
    for (const std::string& column : others) csv.find(column);
  } catch (const InputError& fault) {
    throw InputError(fault.what() +
                     std::string(" (or use `inputs` to list the columns to regress on)"));
  }
  return others;
}

/// The numeric columns to regress on: those in `inputs`, or all that no other key names.
inline std::vector<std::string> chosen_inputs(const CsvTable& csv, const ColumnChoice& choice) {
  const auto keys = named_columns(csv, choice);
  std::vector<std::string> inputs = choice.inputs;
  if (inputs.empty()) inputs = other_columns(csv, keys);
  if (inputs.empty() && choice.factors.empty())
    throw InputError(
        csv.path() + ": there are no input columns, because the response " +
        quoted(*choice.response) +
        (keys.size() == 1 ? " is the only column" : " and other keys use all columns") +
        ". Add a column to regress on.");
  return inputs;
}

/// All columns that the model uses.
inline std::vector<std::string> used_columns(const ColumnChoice& choice,
                                             const std::vector<std::string>& inputs) {
  std::vector<std::string> columns = inputs;
  columns.push_back(*choice.response);
  columns.insert(columns.end(), choice.factors.begin(), choice.factors.end());
  if (choice.offset) columns.push_back(*choice.offset);
  if (choice.weights) columns.push_back(*choice.weights);
  return columns;
}

/// `known`: the factor in the training table, or null if this is the training table.
inline Factor factor_of(const CsvTable& csv, const std::string& column, const Factor* known) {
  if (known != nullptr) return {column, csv.categories(column, known->categories.levels)};
  Factor factor{column, csv.categories(column)};
  if (factor.categories.levels.size() < 2)
    throw ParameterError(
        "factors", quoted(column) + " must have at least two levels, but has the level " +
                       regression::quoted(factor.categories.levels.front()) + " in all rows of " +
                       csv.path() + ". Leave this factor out.");
  return factor;
}

/// A numeric column. If a cell is not a number or violates the rule, the error ends with
/// `wanted`, which says which manifest key names the column and what it must contain.
inline Eigen::VectorXd numbers_for(const std::string& wanted, const CsvTable& csv,
                                   const std::string& column, const NumberRule& rule = {}) {
  try {
    return csv.numbers(column, rule);
  } catch (const InputError& fault) {
    throw InputError(fault.what() + (" (" + wanted + ")"));
  }
}

}  // namespace detail

/// Names the inputs, and removes rows in which a value is missing. `training`: the table that
/// defines inputs and levels of factors, or null if this is the training table.
inline Predictors settled(CsvTable& csv, const ColumnChoice& choice, const Predictors* training) {
  Predictors all;
  all.path = csv.path();
  all.has_row_names = csv.has_row_names();
  all.names = training == nullptr ? detail::chosen_inputs(csv, choice) : training->names;
  all.dropped =
      csv.settle_missing(detail::used_columns(choice, all.names), choice.missing,
                         ". Use `inputs` to choose the columns to regress on. If the cell is a "
                         "level of a factor, spell this level differently");
  return all;
}

inline std::vector<Index> all_rows(const CsvTable& csv) {
  std::vector<Index> rows(static_cast<std::size_t>(csv.rows()));
  std::iota(rows.begin(), rows.end(), Index{0});
  return rows;
}

/// Reads the data of the rows `kept` of a settled table.
inline void read_rows(Predictors& all, const CsvTable& csv, const ColumnChoice& choice,
                      const std::vector<Index>& kept, const Predictors* training) {
  all.inputs.resize(std::ssize(kept), std::ssize(all.names));
  for (Index j = 0; j < all.inputs.cols(); ++j)
    all.inputs.col(j) = detail::numbers_for(
        "`inputs` must name numeric columns. Move categorical columns to `factors`", csv,
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
        detail::numbers_for("`offset` must name a numeric column", csv, *choice.offset)(kept);
  if (choice.weights)
    all.numbers.weights =
        detail::numbers_for("`weights` must name a column of positive numbers", csv,
                            *choice.weights, {.least = 0, .is_open = true})(kept);
}

}  // namespace mixwell::regression
