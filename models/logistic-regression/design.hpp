// The table behind a logistic regression: inputs expanded to powers and standardised, labels coded.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/data.hpp>
#include <mixwell/error.hpp>

#include <Eigen/Core>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace mixwell::logistic {

/// What to take from a table, and how.
struct Selection {
  std::string response;
  std::optional<std::string> positive;
  std::vector<std::string> inputs;  ///< empty = all columns but the response
  std::int64_t powers = 1;
  bool intercept = true;
  bool standardize = true;
};

/// N cases of a table: x (N x d) and whether the label is the positive one.
struct Cases {
  Eigen::MatrixXd x;
  std::vector<bool> positive;
};

inline std::string quoted(const std::string& text) {
  return std::string("\"").append(text).append("\"");
}

inline std::optional<double> number(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && rest == end ? std::optional(value) : std::nullopt;
}

/// Labels are equal as numbers if both are numbers (1 and 1.0), else as texts.
inline bool same_label(const std::string& a, const std::string& b) {
  const auto x = number(a);
  const auto y = number(b);
  return x && y ? *x == *y : a == b;
}

inline bool label_less(const std::string& a, const std::string& b) {
  const auto x = number(a);
  const auto y = number(b);
  return x && y ? *x < *y : a < b;
}

inline std::string listed(const std::vector<std::string>& labels) {
  std::string text;
  for (const std::string& label : labels) text += (text.empty() ? "" : ", ") + quoted(label);
  return text;
}

/// The recipe that turns a table's rows into rows of x: fixed by the training table, then applied
/// to any table and to single points. Columns of x are 1 (if there is an intercept), then all
/// inputs, their squares, their cubes ..., each less its mean and over its standard deviation
/// (denominator n - 1) if so wanted; a constant column is centred only.
class Design {
 public:
  Design(const CsvTable& table, Selection selection) : selection_(std::move(selection)) {
    choose_inputs(table);
    choose_labels(table);
    const Eigen::MatrixXd features = expanded(raw_inputs(table));
    require_finite(features, table);
    settle_scale(features);
  }

  const std::vector<std::string>& inputs() const noexcept { return inputs_; }
  /// Names of the columns of x: "intercept", "age", "age^2", ...
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    if (selection_.intercept) all.push_back("intercept");
    for (std::int64_t power = 1; power <= selection_.powers; ++power)
      for (const std::string& input : inputs_)
        all.push_back(power == 1 ? input : input + "^" + std::to_string(power));
    return all;
  }
  /// Names of the columns that are constant, and so stay unscaled at 0.
  std::vector<std::string> constant_columns() const {
    std::vector<std::string> constant;
    const std::vector<std::string> all = names();
    for (Index j = 0; j < mean_.size(); ++j)
      if (constant_[static_cast<std::size_t>(j)])
        constant.push_back(all[static_cast<std::size_t>(j + offset())]);
    return constant;
  }

  Cases cases(const CsvTable& table) const {
    const Eigen::MatrixXd features = expanded(raw_inputs(table));
    require_finite(features, table);
    return {scaled(features), coded_labels(table)};
  }

  /// The row of x of one point; `values` holds exactly the inputs.
  Eigen::RowVectorXd row(const std::map<std::string, double>& values) const {
    Eigen::RowVectorXd raw(static_cast<Index>(inputs_.size()));
    for (Index j = 0; j < raw.size(); ++j) raw[j] = values.at(inputs_[static_cast<std::size_t>(j)]);
    return scaled(expanded(raw));
  }

 private:
  Index offset() const noexcept { return selection_.intercept ? 1 : 0; }

  static void require_column(const CsvTable& table, const std::string& key,
                             const std::string& column) {
    const auto& all = table.columns();
    if (std::find(all.begin(), all.end(), column) == all.end())
      throw ParameterError(
          key, "no column " + quoted(column) + " in " + table.path() + suggestion(column, all));
  }

  void choose_inputs(const CsvTable& table) {
    require_column(table, "response", selection_.response);
    inputs_ = selection_.inputs;
    if (inputs_.empty())
      for (const std::string& column : table.columns())
        if (column != selection_.response) inputs_.push_back(column);
    if (inputs_.empty())
      throw InputError(table.path() + ": no input columns: the response " +
                       quoted(selection_.response) + " is the only column");
    std::set<std::string> seen;
    for (const std::string& input : inputs_) {
      require_column(table, "inputs", input);
      if (input == selection_.response)
        throw ParameterError("inputs", "names the response " + quoted(input));
      if (!seen.insert(input).second)
        throw ParameterError("inputs", "names " + quoted(input) + " twice");
    }
  }

  void choose_labels(const CsvTable& table) {
    const Index column = table.find(selection_.response);
    for (Index row = 0; row < table.rows(); ++row)
      if (!is_known(table.text(row, column))) labels_.push_back(table.text(row, column));
    std::sort(labels_.begin(), labels_.end(), label_less);
    require_classes(table);
    positive_ = selection_.positive.value_or(labels_.back());
    if (!is_known(positive_))
      throw ParameterError("positive", "no row of " + table.path() + " has the label " +
                                           quoted(positive_) + " in column " +
                                           quoted(selection_.response) +
                                           " (labels found: " + listed(labels_) + ")");
  }

  void require_classes(const CsvTable& table) const {
    if (labels_.size() == 1)
      throw InputError(table.path() + ": column " + quoted(selection_.response) +
                       " has the label " + listed(labels_) +
                       " in every row; a regression needs two classes");
    if (labels_.size() > 2 && !selection_.positive)
      throw ParameterError("positive", "must be given: column " + quoted(selection_.response) +
                                           " has " + std::to_string(labels_.size()) + " labels");
  }

  bool is_known(const std::string& label) const {
    return std::any_of(labels_.begin(), labels_.end(),
                       [&label](const std::string& known) { return same_label(known, label); });
  }

  std::vector<bool> coded_labels(const CsvTable& table) const {
    const Index column = table.find(selection_.response);
    std::vector<bool> coded;
    for (Index row = 0; row < table.rows(); ++row) {
      const std::string& label = table.text(row, column);
      if (!is_known(label))
        throw InputError(table.path() + ":" + std::to_string(table.line(row)) + ": row " +
                         std::to_string(row + 1) + ", column " + quoted(selection_.response) +
                         ": the training data have no label " + quoted(label) +
                         " (labels found: " + listed(labels_) + ")");
      coded.push_back(same_label(label, positive_));
    }
    return coded;
  }

  Eigen::MatrixXd raw_inputs(const CsvTable& table) const {
    Eigen::MatrixXd raw(table.rows(), static_cast<Index>(inputs_.size()));
    for (Index j = 0; j < raw.cols(); ++j)
      raw.col(j) = table.numbers(inputs_[static_cast<std::size_t>(j)]);
    return raw;
  }

  Eigen::MatrixXd expanded(const Eigen::MatrixXd& raw) const {
    Eigen::MatrixXd all(raw.rows(), raw.cols() * selection_.powers);
    all.leftCols(raw.cols()) = raw;
    for (Index j = raw.cols(); j < all.cols(); ++j)
      all.col(j) = all.col(j - raw.cols()).cwiseProduct(raw.col(j % raw.cols()));
    return all;
  }

  void require_finite(const Eigen::MatrixXd& features, const CsvTable& table) const {
    for (Index j = 0; j < features.cols(); ++j)
      if (!features.col(j).allFinite())
        throw InputError(table.path() + ": " +
                         quoted(names()[static_cast<std::size_t>(j + offset())]) +
                         " exceeds the largest number; lower powers or rescale the column");
  }

  void settle_scale(const Eigen::MatrixXd& features) {
    mean_ = Eigen::RowVectorXd::Zero(features.cols());
    sd_ = Eigen::RowVectorXd::Ones(features.cols());
    constant_.assign(static_cast<std::size_t>(features.cols()), false);
    for (Index j = 0; j < features.cols(); ++j) {
      const auto column = features.col(j).array();
      const bool constant = (column == column[0]).all();
      constant_[static_cast<std::size_t>(j)] = constant;
      if (!selection_.standardize) continue;
      mean_[j] = constant ? column[0] : column.mean();
      if (!constant)
        sd_[j] = std::sqrt((column - mean_[j]).square().sum() /
                           static_cast<double>(features.rows() - 1));
    }
  }

  Eigen::MatrixXd scaled(const Eigen::MatrixXd& features) const {
    Eigen::MatrixXd x = Eigen::MatrixXd::Ones(features.rows(), features.cols() + offset());
    x.rightCols(features.cols()) = (features.rowwise() - mean_).array().rowwise() / sd_.array();
    return x;
  }

  Selection selection_;
  std::vector<std::string> inputs_;
  std::vector<std::string> labels_;
  std::string positive_;
  Eigen::RowVectorXd mean_;
  Eigen::RowVectorXd sd_;
  std::vector<bool> constant_;
};

}  // namespace mixwell::logistic
