// Reads cases (inputs and labels) from a file in any of the supported formats.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "columns.hpp"
#include "labels.hpp"

#include <mixwell/plugin.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace mixwell::regression {

/// N cases of one file.
struct Table : Predictors {
  std::string labels_of;  ///< where the labels are, for messages
  std::vector<std::string> labels;
  LabelSet all_labels;  ///< all labels of the file, including the labels of cases that are left out
  /// Where the label of case n is, for messages.
  std::function<std::string(Index)> place;
};

/// Formats of files.
enum class Format { csv, libsvm, idx };

/// Values of the key `format`.
inline constexpr std::array<std::pair<const char*, Format>, 3> formats = {
    {{"csv", Format::csv}, {"libsvm", Format::libsvm}, {"idx", Format::idx}}};

/// The manifest keys for files and how to read them.
struct Source : ColumnChoice {
  std::string format = "csv";
  std::string data;
  LabelChoice classes;
  std::optional<std::string> labels;
  std::optional<std::string> test;
  std::optional<std::string> test_labels;

  /// Throws ParameterError for a word that is not in `formats`.
  Format read_as() const {
    for (const auto& [word, value] : formats)
      if (format == word) return value;
    throw ParameterError("format", "must be csv, libsvm or idx (got " + quoted(format) + ")");
  }
};

namespace detail {

/// Adds the label of a row of the file. Returns whether the choice keeps the row.
inline bool add_label(Table& table, const LabelChoice& choice, std::string label) {
  const bool kept = choice.keeps(label);
  table.all_labels.insert(label);
  if (kept) table.labels.push_back(std::move(label));
  return kept;
}

/// `training`: the table that defines inputs and levels of factors, or null if this is the training
/// table.
inline Table csv_table(CsvTable csv, const Source& source, const Table* training) {
  Table table{settled(csv, source, training), {}, {}, {}, {}};
  const std::string& response = *source.response;
  table.labels_of = csv.path() + ", column " + quoted(response);
  std::vector<Index> kept;
  const Index column = csv.find(response);
  for (Index row = 0; row < csv.rows(); ++row)
    if (add_label(table, source.classes, csv.text(row, column))) kept.push_back(row);
  std::vector<std::string> places;
  for (const Index row : kept) places.push_back(csv.place(row, response));
  table.place = [places](Index n) { return places[static_cast<std::size_t>(n)]; };
  read_rows(table, csv, source, kept, training);
  return table;
}

/// `width`: number of inputs; 0 = the file's largest index.
inline Table libsvm_table(const LibsvmTable& file, Index width, const LabelChoice& choice) {
  const std::string& path = file.path();
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
    throw InputError(path +
                     ": no line has an index:value pair, so there are no inputs. Add such pairs, "
                     "or correct `format`.");
  table.place = [path, lines](Index n) {
    return path + ":" + std::to_string(lines[static_cast<std::size_t>(n)]);
  };
  return table;
}

/// `width`: number of pixels; 0 = any.
inline Table idx_table(const std::string& path, const std::string& labels_path, Index width,
                       const LabelChoice& choice) {
  Table table;
  table.path = path;
  table.labels_of = labels_path;
  IdxImages images = read_idx(path, labels_path, [&](std::uint8_t label) {
    return add_label(table, choice, std::to_string(label));
  });
  if (width != 0 && images.height * images.width != width)
    throw InputError(path + ": the images have " + std::to_string(images.height) + " x " +
                     std::to_string(images.width) +
                     " pixels, but the images of the training data have " + std::to_string(width) +
                     " pixels. Use images of the same size.");
  table.inputs = std::move(images.pixels);
  table.place = [labels_path, kept = images.kept](Index n) {
    return labels_path + ": label " + std::to_string(kept[static_cast<std::size_t>(n)] + 1);
  };
  return table;
}

/// `training`: as for csv_table.
inline Table table_of(const Source& source, const std::string& data,
                      const std::optional<std::string>& labels, const Table* training) {
  const Index width = training == nullptr ? 0 : training->inputs.cols();
  switch (source.read_as()) {
    case Format::csv:
      return csv_table(CsvTable(data), source, training);
    case Format::libsvm:
      return libsvm_table(LibsvmTable(data, width), width, source.classes);
    case Format::idx:
      return idx_table(data, *labels, width, source.classes);
  }
  throw std::logic_error("a format without a reader");
}

}  // namespace detail

/// The training cases whose labels the manifest selects.
inline Table training_table(const Source& source) {
  return detail::table_of(source, source.data, source.labels, nullptr);
}

/// The test cases, with the inputs of the training table. Adds a remark about rows that are left
/// out.
inline Table test_table(const Source& source, const Table& training,
                        std::vector<std::string>& remarks) {
  Table table = detail::table_of(source, *source.test, source.test_labels, &training);
  if (table.labels.empty())
    throw InputError(table.labels_of + ": no case has either of the two labels (labels found: " +
                     listed(table.all_labels) +
                     "). Correct `positive` and `negative`, or the file.");
  if (!table.dropped.empty()) remarks.push_back(table.dropped);
  return table;
}

}  // namespace mixwell::regression
