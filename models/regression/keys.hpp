// Manifest keys of a regression: files, columns, how rows x are made, prior and test set.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "design.hpp"
#include "table.hpp"

#include <mixwell/plugin.hpp>

#include <string>
#include <utility>
#include <vector>

namespace mixwell::regression {

/// Marks a key that only affects data, for models that can also simulate cases.
inline Field& with_data(const Fields& fields, Field& field) {
  return fields.find("data")->is_required() ? field : field.only_with("data");
}

/// Marks a key that only affects CSV files.
inline Field& csv_only(const Fields& fields, Field& field) {
  const bool has_formats = fields.find("format") != nullptr;
  with_data(fields, field);
  return has_formats ? field.only_with("format", {"csv"}) : field;
}

inline void declare_response(Fields& fields, ColumnChoice& columns) {
  csv_only(fields, fields.text("response", columns.response)).help("csv: column of the label");
}

inline void declare_format(Fields& fields, Source& source) {
  std::vector<std::string> words;
  for (const auto& [word, format] : formats) words.emplace_back(word);
  with_data(fields, fields.text("format", source.format))
      .one_of(std::move(words))
      .help(
          "format of `data` and `test`: csv (with a header), libsvm (label, index:value pairs), "
          "idx (MNIST)");
  with_data(fields, fields.text("labels", source.labels))
      .file()
      .only_with("format", {"idx"})
      .help("idx: file of the labels of `data`");
  declare_response(fields, source);
}

inline void declare_classes(Fields& fields, LabelChoice& classes) {
  with_data(fields, fields.text("positive", classes.positive))
      .help(
          "label that counts as 1; all other labels count as 0; default: the larger label if there "
          "are two");
  with_data(fields, fields.text("negative", classes.negative))
      .help("label that counts as 0; cases with other labels are left out, also in `test`");
}

inline void declare_inputs(Fields& fields, ColumnChoice& columns) {
  csv_only(fields, fields.texts("inputs", columns.inputs))
      .help("csv: numeric columns to regress on; default: all columns that no other key names");
  csv_only(fields, fields.texts("factors", columns.factors))
      .help(
          "csv: categorical columns to regress on; each level except the first has a coefficient");
}

/// Declares all columns except the response.
inline void declare_columns(Fields& fields, ColumnChoice& columns) {
  declare_inputs(fields, columns);
  csv_only(fields, fields.text("offset", columns.offset))
      .help(
          "csv: column of offsets, which are added to the linear predictor without a coefficient");
  csv_only(fields, fields.text("weights", columns.weights))
      .help("csv: column of positive weights; each multiplies the log likelihood of its case");
  csv_only(fields, declare_missing(fields, columns.missing));
}

inline void declare_features(Fields& fields, Recipe& recipe) {
  fields.integer("powers", recipe.powers)
      .at_least(1)
      .at_most(16)
      .help("use inputs, their squares, ... up to this power");
  fields.integer("projection", recipe.projection)
      .at_least(0)
      .at_most(most_coordinates)
      .help("k > 0: replace the inputs and their powers by k random projections");
  fields.integer("projection_seed", recipe.projection_seed)
      .at_least(0)
      .only_where("projection above 0", [&recipe] { return recipe.projection > 0; })
      .help("seed of the projection matrix, whose entries are N(0, 1 / k)");
}

inline void declare_scale(Fields& fields, Recipe& recipe) {
  fields.flag("standardize", recipe.standardize)
      .help(
          "standardize columns after powers or projections: mean 0, standard deviation 1 "
          "(denominator n - 1)");
  fields.flag("intercept", recipe.intercept)
      .help("add an intercept as the first coefficient; its column of ones is not scaled");
}

inline void declare_prior(Fields& fields, double& prior_variance) {
  fields.number("prior_variance", prior_variance)
      .above(0)
      .help("variance of the normal prior of each coefficient, which has mean 0");
}

inline void declare_test(Fields& fields, Source& source) {
  with_data(fields, fields.text("test", source.test))
      .file()
      .help("file of cases for the test error, with the same inputs as `data`");
  fields.text("test_labels", source.test_labels)
      .file()
      .only_with("format", {"idx"})
      .only_with("test")
      .help("idx: file of the labels of `test`");
}

/// Throws ParameterError if a key that the format needs is missing.
inline void require_keys(const Source& source) {
  const auto require = [&source](const std::string& format, const std::string& key, bool given) {
    if (source.format == format && !given)
      throw ParameterError(key, "must be given if format = " + quoted(format));
  };
  require("csv", "response", source.response.has_value());
  require("idx", "labels", source.labels.has_value());
  if (source.test) require("idx", "test_labels", source.test_labels.has_value());
}

}  // namespace mixwell::regression
