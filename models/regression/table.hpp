// The cases of a file as inputs and labels, whatever its format.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "labels.hpp"
#include "likelihood.hpp"
#include "missing.hpp"

#include <mixwell/plugin.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace mixwell::regression {

/// A column of categories of the cases.
struct Factor {
  std::string name;
  Categories categories;
};

/// N cases of one file.
struct Table {
  std::string path;
  std::string labels_of;           ///< where the labels stand, for messages
  std::vector<std::string> names;  ///< of the inputs; empty = they are numbered
  Eigen::MatrixXd inputs;          ///< N x (number of inputs)
  std::vector<Factor> factors{};   ///< csv: columns of categories
  CaseNumbers numbers{};           ///< csv: offsets and weights
  Index dropped = 0;               ///< csv: rows left out for a missing value
  std::vector<std::string> labels;
  LabelSet all_labels;  ///< of the whole file, those of left out cases too
  /// The place of case n's label.
  std::function<std::string(Index)> place;
};

/// Files and how to read them.
struct Source {
  std::string format = "csv";
  std::string data;
  std::optional<std::string> labels;
  std::optional<std::string> response;
  std::vector<std::string> inputs;  ///< csv: empty = all columns that are nothing else
  std::vector<std::string> factors;
  std::optional<std::string> offset;
  std::optional<std::string> weights;
  std::string missing = "refuse";
  std::optional<std::string> test;
  std::optional<std::string> test_labels;
};

namespace detail {

inline void require_column(const CsvTable& csv, const std::string& key, const std::string& column) {
  if (csv.has(column)) return;
  throw ParameterError(
      key, "no column " + quoted(column) + " in " + csv.path() + suggestion(column, csv.columns()));
}

/// The columns that are named for what they are, with the key that names each; none is two things.
inline std::map<std::string, std::string> named_columns(const CsvTable& csv, const Source& source) {
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
  add("response", *source.response);
  if (source.offset) add("offset", *source.offset);
  if (source.weights) add("weights", *source.weights);
  for (const std::string& factor : source.factors) add("factors", factor);
  for (const std::string& input : source.inputs) add("inputs", input);
  return keys;
}

/// The columns of numbers to regress on: those that are named, or all that no other key names.
inline std::vector<std::string> chosen_inputs(const CsvTable& csv, const Source& source) {
  const auto keys = named_columns(csv, source);
  std::vector<std::string> inputs = source.inputs;
  if (inputs.empty())
    std::copy_if(csv.columns().begin(), csv.columns().end(), std::back_inserter(inputs),
                 [&](const std::string& column) { return !keys.contains(column); });
  if (inputs.empty() && source.factors.empty())
    throw InputError(csv.path() + ": no input columns: the response " + quoted(*source.response) +
                     (keys.size() == 1 ? " is the only column" : " and others take all columns"));
  return inputs;
}

/// All columns that have a part in the model.
inline std::vector<std::string> used_columns(const Source& source,
                                             const std::vector<std::string>& inputs) {
  std::vector<std::string> columns = inputs;
  columns.push_back(*source.response);
  columns.insert(columns.end(), source.factors.begin(), source.factors.end());
  if (source.offset) columns.push_back(*source.offset);
  if (source.weights) columns.push_back(*source.weights);
  return columns;
}

/// Adds the label of file row `row`; true if the choice keeps it.
inline bool add_label(Table& table, const LabelChoice& choice, std::string label) {
  const bool kept = choice.keeps(label);
  table.all_labels.insert(label);
  if (kept) table.labels.push_back(std::move(label));
  return kept;
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

/// The factors, offsets and weights of the kept rows.
inline void add_columns(Table& table, const CsvTable& csv, const Source& source,
                        const std::vector<Index>& kept, const Table* training) {
  for (std::size_t k = 0; k < source.factors.size(); ++k) {
    Factor factor =
        factor_of(csv, source.factors[k], training == nullptr ? nullptr : &training->factors[k]);
    std::vector<Index> codes;
    for (const Index row : kept)
      codes.push_back(factor.categories.codes[static_cast<std::size_t>(row)]);
    factor.categories.codes = std::move(codes);
    table.factors.push_back(std::move(factor));
  }
  if (source.offset) table.numbers.offset = csv.numbers(*source.offset)(kept);
  if (source.weights)
    table.numbers.weights = csv.numbers(*source.weights, {.least = 0, .is_open = true})(kept);
}

/// `training`: where the inputs and the levels of factors come from, or null for that table itself.
inline Table csv_table(CsvTable csv, const Source& source, const LabelChoice& choice,
                       const Table* training) {
  std::vector<std::string> inputs =
      training == nullptr ? chosen_inputs(csv, source) : training->names;
  const std::string& response = *source.response;
  Table table;
  table.dropped = settle_missing(csv, used_columns(source, inputs), source.missing);
  table.path = csv.path();
  table.labels_of = csv.path() + ", column " + quoted(response);
  std::vector<Index> kept;
  const Index column = csv.find(response);
  for (Index row = 0; row < csv.rows(); ++row)
    if (add_label(table, choice, csv.text(row, column))) kept.push_back(row);
  table.inputs.resize(static_cast<Index>(kept.size()), static_cast<Index>(inputs.size()));
  for (Index j = 0; j < table.inputs.cols(); ++j)
    table.inputs.col(j) = csv.numbers(inputs[static_cast<std::size_t>(j)])(kept);
  std::vector<std::string> places;
  for (const Index row : kept)
    places.push_back(csv.path() + ":" + std::to_string(csv.line(row)) + ": row " +
                     std::to_string(row + 1) + ", column " + quoted(response));
  table.place = [places](Index n) { return places[static_cast<std::size_t>(n)]; };
  table.names = std::move(inputs);
  add_columns(table, csv, source, kept, training);
  return table;
}

/// `width` 0: as wide as the file's largest index.
inline Table libsvm_table(const std::string& path, Index width, const LabelChoice& choice) {
  const LibsvmTable file(path, width);
  Table table;
  table.path = path;
  table.labels_of = path;
  std::vector<Index> kept;
  std::vector<int> lines;
  for (Index row = 0; row < file.rows(); ++row) {
    if (!add_label(table, choice, file.label(row))) continue;
    kept.push_back(row);
    lines.push_back(file.line(row));
  }
  table.inputs = file.dense(kept, width == 0 ? file.largest_index() : width);
  if (table.inputs.cols() == 0)
    throw InputError(path + ": no line has an index:value pair, so that there are no inputs");
  table.place = [path, lines](Index n) {
    return path + ":" + std::to_string(lines[static_cast<std::size_t>(n)]);
  };
  return table;
}

/// `width` 0: images of any size.
inline Table idx_table(const std::string& path, const std::string& labels_path, Index width,
                       const LabelChoice& choice) {
  Table table;
  table.path = path;
  table.labels_of = labels_path;
  IdxImages images = read_idx(path, labels_path, [&](std::uint8_t label) {
    return add_label(table, choice, std::to_string(label));
  });
  if (width != 0 && images.height * images.width != width)
    throw InputError(path + ": images of " + std::to_string(images.height) + " x " +
                     std::to_string(images.width) +
                     " pixels, but those of the training data have " + std::to_string(width));
  table.inputs = std::move(images.pixels);
  table.place = [labels_path, kept = images.kept](Index n) {
    return labels_path + ": label " + std::to_string(kept[static_cast<std::size_t>(n)] + 1);
  };
  return table;
}

}  // namespace detail

/// The training cases that the choice keeps.
inline Table training_table(const Source& source, const LabelChoice& choice) {
  if (source.format == "libsvm") return detail::libsvm_table(source.data, 0, choice);
  if (source.format == "idx") return detail::idx_table(source.data, *source.labels, 0, choice);
  return detail::csv_table(CsvTable(source.data), source, choice, nullptr);
}

/// The test cases, with the inputs of the training table.
inline Table test_table(const Source& source, const LabelChoice& choice, const Table& training) {
  const Index width = training.inputs.cols();
  Table table = source.format == "libsvm" ? detail::libsvm_table(*source.test, width, choice)
                : source.format == "idx"
                    ? detail::idx_table(*source.test, *source.test_labels, width, choice)
                    : detail::csv_table(CsvTable(*source.test), source, choice, &training);
  if (table.labels.empty())
    throw InputError(table.labels_of + ": no case has one of the two labels (labels found: " +
                     listed(table.all_labels) + ")");
  return table;
}

}  // namespace mixwell::regression
