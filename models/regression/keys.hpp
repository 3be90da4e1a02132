// The keys of a regression: files and columns, how rows of x are made of them, prior, test set.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "design.hpp"
#include "table.hpp"

#include <mixwell/plugin.hpp>

#include <string>
#include <utility>
#include <vector>

namespace mixwell::regression {

inline void declare_format(Fields& fields, Source& source) {
  std::vector<std::string> words;
  for (const auto& [word, format] : formats) words.emplace_back(word);
  fields.text("format", source.format)
      .one_of(std::move(words))
      .help(
          "of data and test: csv has a header and a row for each case, libsvm lines of a "
          "label and index:value pairs, idx images of unsigned bytes (MNIST)");
  fields.text("labels", source.labels).file().help("idx: the labels that belong to data");
  fields.text("response", source.response).help("csv: column of the label");
}

/// All columns but the response.
inline void declare_columns(Fields& fields, ColumnChoice& columns) {
  fields.texts("inputs", columns.inputs)
      .help("csv: columns of numbers to regress on; by default all that no other key names");
  fields.texts("factors", columns.factors)
      .help("csv: columns of categories to regress on; each level but the first has a coefficient");
  fields.text("offset", columns.offset).help("csv: column that is added to x theta as it stands");
  fields.text("weights", columns.weights)
      .help("csv: column of numbers above 0 that say how often each case counts");
  declare_missing(fields, columns.missing);
}

inline void declare_recipe(Fields& fields, Source& source, Recipe& recipe) {
  fields.text("positive", source.classes.positive)
      .help("label counted as 1, all others as 0; by default the larger of two");
  fields.text("negative", source.classes.negative)
      .help("label counted as 0; cases with other labels are left out, also of test");
  declare_columns(fields, source);
  fields.integer("powers", recipe.powers)
      .at_least(1)
      .at_most(16)
      .help("inputs, their squares, ... up to this power");
  fields.integer("projection", recipe.projection)
      .at_least(0)
      .at_most(most_coordinates)
      .help("k > 0: replace these by k random projections");
  fields.integer("projection_seed", recipe.projection_seed)
      .at_least(0)
      .only_where("projection above 0", [&recipe] { return recipe.projection > 0; })
      .help("of the projections' entries, N(0, 1 / k)");
  fields.flag("standardize", recipe.standardize)
      .help("then scale columns to mean 0, standard deviation 1 (n - 1)");
  fields.flag("intercept", recipe.intercept)
      .help("a first coefficient for the constant 1, added last");
}

inline void declare_prior(Fields& fields, double& prior_variance) {
  fields.number("prior_variance", prior_variance)
      .above(0)
      .help("of N(0, prior_variance), the prior of each coefficient");
}

inline void declare_test(Fields& fields, Source& source) {
  fields.text("test", source.test).file().help("cases with the same inputs, for the test error");
  fields.text("test_labels", source.test_labels).file().help("idx: the labels of test");
}

/// Throws where a column is named and there is no file.
inline void refuse_columns(const ColumnChoice& columns) {
  const auto refuse = [](const std::string& key, bool given) {
    if (given) throw ParameterError(key, "goes with data, which is not given");
  };
  refuse("response", columns.response.has_value());
  refuse("inputs", !columns.inputs.empty());
  refuse("factors", !columns.factors.empty());
  refuse("offset", columns.offset.has_value());
  refuse("weights", columns.weights.has_value());
  refuse("missing", columns.missing != "refuse");
}

/// A key that belongs to one format: there it must be given, elsewhere it must not.
inline void require_match(const std::string& format, const std::string& wanted,
                          const std::string& key, bool given) {
  if (given == (format == wanted)) return;
  throw ParameterError(
      key, given ? "goes with format = " + quoted(wanted) + ", but it is " + quoted(format)
                 : "must be given with format = " + quoted(wanted));
}

/// Throws where a key is given that its format has no use for, or one that it needs is not.
inline void require_keys(const Source& source) {
  require_match(source.format, "csv", "response", source.response.has_value());
  require_match(source.format, "idx", "labels", source.labels.has_value());
  if (source.test || source.test_labels)
    require_match(source.format, "idx", "test_labels", source.test_labels.has_value());
  if (source.test_labels && !source.test)
    throw ParameterError("test_labels", "goes with test, the images that it belongs to");
  if (!source.inputs.empty()) require_match(source.format, "csv", "inputs", true);
  if (!source.factors.empty()) require_match(source.format, "csv", "factors", true);
  if (source.offset) require_match(source.format, "csv", "offset", true);
  if (source.weights) require_match(source.format, "csv", "weights", true);
  if (source.missing != "refuse") require_match(source.format, "csv", "missing", true);
}

}  // namespace mixwell::regression
