// Reads cases (inputs and labels) from a file: CSV, LIBSVM text or IDX images.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace mixwell::network {

/// The text in quotes. If the text is longer than 60 bytes, only the UTF-8 characters that fit into
/// 60 bytes.
inline std::string quoted(const std::string& text) {
  std::size_t end = 60;
  if (text.size() <= end) return "\"" + text + "\"";
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80) --end;
  return "\"" + text.substr(0, end) + "...\"";
}

/// The files and how to read them.
struct Source {
  std::string data;
  std::string format = "csv";
  std::optional<std::string> labels;
  std::optional<std::string> response;
  std::vector<std::string> inputs;
  std::string missing = "refuse";
  std::optional<std::string> test;
  std::optional<std::string> test_labels;

  void declare(Fields& fields) {
    fields.text("data", data).file().required().help("file with the cases, plain or gzipped");
    fields.text("format", format)
        .one_of({"csv", "libsvm", "idx"})
        .help(
            "format of data and test: csv (with a header), libsvm (label, index:value pairs), idx "
            "(MNIST)");
    fields.text("labels", labels).file().help("idx: file with the labels of `data`");
    fields.text("response", response).help("csv: column of the label");
    fields.texts("inputs", inputs)
        .help("csv: columns of the inputs (default: all columns except `response`)");
    fields.text("missing", missing)
        .one_of({"refuse", "drop"})
        .help("csv: what to do with rows that have a missing value (empty, NA, N/A, NULL, ?, ...)");
    fields.text("test", test)
        .file()
        .help("file of test cases with the same inputs, for the test error");
    fields.text("test_labels", test_labels).file().help("idx: file with the labels of `test`");
  }

  /// Throws if a key is given that the format does not use, or if a key is missing that the format
  /// needs.
  void require_keys() const {
    require_match("csv", "response", response.has_value());
    require_match("idx", "labels", labels.has_value());
    if (test || test_labels) require_match("idx", "test_labels", test_labels.has_value());
    if (test_labels && !test)
      throw ParameterError(
          "test_labels",
          "works only with `test`, which gives the images of these labels. Give `test`, or "
          "leave this key out.");
    if (!inputs.empty()) require_match("csv", "inputs", true);
    if (missing != "refuse") require_match("csv", "missing", true);
  }

 private:
  /// Checks a key that belongs to one format: it must be given with this format, and with no other.
  void require_match(const std::string& wanted, const std::string& key, bool given) const {
    if (given == (format == wanted)) return;
    throw ParameterError(key, given ? "works only with format = " + quoted(wanted) +
                                          ", but the format is " + quoted(format)
                                    : "must be given with format = " + quoted(wanted));
  }
};

/// N cases of one file.
struct Table {
  std::vector<std::string> names;  ///< csv: names of the inputs
  Eigen::MatrixXd inputs;          ///< N x (number of inputs)
  std::string labels_of;           ///< the place of the labels, for messages
  std::vector<std::string> labels{};
  std::function<std::string(Index)> place;  ///< location of the label of case n
  std::vector<std::string> remarks{};       ///< remarks about rows that are left out
};

namespace detail {

inline void require_column(const CsvTable& csv, const std::string& key, const std::string& column) {
  if (csv.has(column)) return;
  throw ParameterError(key, "there is no column " + quoted(column) + " in " + csv.path() +
                                suggestion(column, csv.columns()));
}

/// Throws if one of the named inputs does not exist, occurs twice, or is the response.
inline void check_inputs(const CsvTable& csv, const Source& source) {
  std::set<std::string> seen;
  for (const std::string& input : source.inputs) {
    require_column(csv, "inputs", input);
    if (input == *source.response)
      throw ParameterError(
          "inputs", "names the response " + quoted(input) + ". Remove this column from `inputs`.");
    if (!seen.insert(input).second)
      throw ParameterError("inputs", "names " + quoted(input) + " twice. Name each column once.");
  }
}

/// All columns except the response. Their names must differ.
inline std::vector<std::string> other_columns(const CsvTable& csv, const std::string& response) {
  std::vector<std::string> others;
  for (const std::string& column : csv.columns()) {
    if (column == response) continue;
    others.push_back(column);
    try {
      csv.find(column);
    } catch (const InputError& fault) {
      throw InputError(fault.what() + std::string(", or list the inputs in `inputs`"));
    }
  }
  if (others.empty())
    throw InputError(csv.path() + ": there are no input columns, because the response " +
                     quoted(response) + " is the only column. Add a column.");
  return others;
}

inline std::vector<std::string> chosen_inputs(const CsvTable& csv, const Source& source) {
  require_column(csv, "response", *source.response);
  check_inputs(csv, source);
  return source.inputs.empty() ? other_columns(csv, *source.response) : source.inputs;
}

inline Eigen::VectorXd numbers_of(const CsvTable& csv, const std::string& column) {
  try {
    return csv.numbers(column);
  } catch (const InputError& fault) {
    throw InputError(fault.what() + std::string("; `inputs` must name numeric columns"));
  }
}

/// `training` is the table that determines the inputs, or null if this is the training table.
inline Table csv_table(const std::string& path, const Source& source, const Table* training) {
  CsvTable csv(path);
  const std::string& response = *source.response;
  Table table;
  table.labels_of = path + ", column " + quoted(response);
  table.names = training == nullptr ? chosen_inputs(csv, source) : training->names;
  std::vector<std::string> used = table.names;
  used.push_back(response);
  if (std::string dropped = csv.settle_missing(used, source.missing,
                                               ", and `inputs` chooses the columns that are used");
      !dropped.empty())
    table.remarks.push_back(std::move(dropped));
  table.inputs.resize(csv.rows(), std::ssize(table.names));
  for (Index j = 0; j < table.inputs.cols(); ++j)
    table.inputs.col(j) = numbers_of(csv, table.names[static_cast<std::size_t>(j)]);
  const Index column = csv.find(response);
  std::vector<std::string> places;
  for (Index row = 0; row < csv.rows(); ++row) {
    table.labels.push_back(csv.text(row, column));
    places.push_back(csv.place(row, response));
  }
  table.place = [places](Index n) { return places[static_cast<std::size_t>(n)]; };
  return table;
}

/// `width` 0 means the largest index in the file.
inline Table libsvm_table(const std::string& path, Index width) {
  const LibsvmTable file(path, width);
  Table table;
  table.labels_of = path;
  std::vector<Index> rows(static_cast<std::size_t>(file.rows()));
  std::iota(rows.begin(), rows.end(), Index{0});
  std::vector<int> lines;
  for (const Index row : rows) {
    table.labels.push_back(file.label(row));
    lines.push_back(file.line(row));
  }
  table.inputs = file.dense(rows, width == 0 ? file.largest_index() : width);
  if (table.inputs.cols() == 0)
    throw InputError(path +
                     ": no line has an index:value pair, so there are no inputs. Add such pairs.");
  table.place = [path, lines](Index n) {
    return path + ":" + std::to_string(lines[static_cast<std::size_t>(n)]);
  };
  return table;
}

/// `width` 0 means images of any size.
inline Table idx_table(const std::string& path, const std::string& labels_path, Index width) {
  Table table;
  table.labels_of = labels_path;
  IdxImages images = read_idx(path, labels_path, [&](std::uint8_t label) {
    table.labels.push_back(std::to_string(label));
    return true;
  });
  if (width != 0 && images.height * images.width != width)
    throw InputError(path + ": the images have " + std::to_string(images.height) + " x " +
                     std::to_string(images.width) +
                     " pixels, but the images of the training data have " + std::to_string(width) +
                     " pixels. Use images of the same size.");
  table.inputs = std::move(images.pixels);
  table.place = [labels_path](Index n) { return labels_path + ": label " + std::to_string(n + 1); };
  return table;
}

inline Table table_of(const Source& source, const std::string& path,
                      const std::optional<std::string>& labels, const Table* training) {
  const Index width = training == nullptr ? 0 : training->inputs.cols();
  if (source.format == "csv") return csv_table(path, source, training);
  if (source.format == "libsvm") return libsvm_table(path, width);
  return idx_table(path, *labels, width);
}

}  // namespace detail

inline Table training_table(const Source& source) {
  return detail::table_of(source, source.data, source.labels, nullptr);
}

/// The test cases, with the inputs of the training table.
inline Table test_table(const Source& source, const Table& training) {
  Table table = detail::table_of(source, *source.test, source.test_labels, &training);
  if (table.labels.empty())
    throw InputError(table.labels_of +
                     ": the file contains no test cases. Use a file with at least one test case.");
  return table;
}

}  // namespace mixwell::network
