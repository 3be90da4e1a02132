// Makes the data of a binary regression from a table: rows x, labels, coefficients.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "coefficients.hpp"
#include "remarks.hpp"
#include "table.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mixwell::regression {

/// N cases: x (N x d), whether the label is the positive one, offsets and weights.
struct Cases {
  Eigen::MatrixXd x;
  std::vector<bool> positive;
  CaseNumbers numbers{};
};

/// The coding of labels that the training table and the manifest determine.
class LabelCoding {
 public:
  LabelCoding(const Table& table, const LabelChoice& classes) : labels_(table.all_labels) {
    choose_positive(table, classes);
  }

  /// A sentence that says how the labels of `labels_of` are coded; "" if the labels are 1 and 0.
  std::string remark(const std::string& labels_of) const {
    LabelSet others = labels_;
    others.erase(positive_);
    if (are_equal(positive_, "1") && others == LabelSet{"0"}) return "";
    const std::string rest = negative_            ? quoted(*negative_)
                             : others.size() == 1 ? listed(others)
                                                  : "all others (" + listed(others) + ")";
    const bool leaves_out = negative_ && others.size() > 1;
    return "Labels of " + labels_of + ": " + quoted(positive_) + " counts as 1, " + rest + " as 0" +
           (leaves_out ? "; cases with other labels are left out." : ".");
  }

  /// For each case of any table, whether its label is the positive one.
  std::vector<bool> coded_labels(const Table& table) const {
    std::vector<bool> coded;
    for (std::size_t n = 0; n < table.labels.size(); ++n) {
      const std::string& label = table.labels[n];
      if (!labels_.contains(label))
        throw InputError(table.place(static_cast<Index>(n)) +
                         ": the training data do not have the label " + quoted(label) +
                         " (labels found: " + listed(labels_) +
                         "). Correct the label, or remove the case.");
      coded.push_back(is_positive(label));
    }
    return coded;
  }

 private:
  void require_label(const std::string& key, const std::string& label, const Table& table) const {
    if (labels_.contains(label)) return;
    throw ParameterError(key, "no case of " + table.labels_of + " has the label " + quoted(label) +
                                  " (labels found: " + listed(labels_) + "). Use one of these.");
  }

  void choose_positive(const Table& table, const LabelChoice& classes) {
    const auto& [positive, negative] = classes;
    if (negative && !positive)
      throw ParameterError("positive", "must be given if `negative` is given");
    if (labels_.size() == 1)
      throw InputError(
          table.labels_of + ": every case has the label " + listed(labels_) +
          ", but a binary regression needs two labels. Add cases with a different label.");
    if (labels_.size() > 2 && !positive)
      throw ParameterError("positive",
                           "must be given, because " + table.labels_of + " has " +
                               std::to_string(labels_.size()) + " labels (" + listed(labels_) +
                               "). Set `positive` to the label that counts as 1. To leave out "
                               "cases with other labels, also set `negative`.");
    if (!positive) refuse_quantity(table);
    positive_ = positive.value_or(*labels_.rbegin());
    negative_ = negative;
    require_label("positive", positive_, table);
    if (negative) require_label("negative", *negative, table);
    if (negative && is_positive(*negative))
      throw ParameterError("negative", "must differ from `positive`");
  }

  /// Refuses two numbers that are not both whole, unless keys are given: such labels are not
  /// classes.
  void refuse_quantity(const Table& table) const {
    const auto is_whole = [](const std::string& label) {
      const auto value = finite_number(label);
      return !value || *value == std::floor(*value);
    };
    if (std::all_of(labels_.begin(), labels_.end(), is_whole)) return;
    throw ParameterError("positive", "must be given, because " + table.labels_of +
                                         " has the labels " + listed(labels_) +
                                         ", which look like measurements, not like labels. Set "
                                         "`positive` to the label that counts as 1.");
  }

  bool is_positive(const std::string& label) const { return are_equal(label, positive_); }

  LabelSet labels_;
  std::string positive_;
  std::optional<std::string> negative_;
};

/// A design and a coding of labels. The training table fixes both, and they apply to any table.
/// Labels come first, because with wrong labels there may be no case that determines the scale.
class LabelledDesign : private LabelCoding, public Design {
 public:
  LabelledDesign(const Table& table, const Recipe& recipe, const LabelChoice& classes)
      : LabelCoding(table, classes), Design(table, recipe) {}

  using LabelCoding::remark;
  Cases cases(const Table& table) const {
    return {rows(table), coded_labels(table), table.numbers};
  }
};

/// All remarks; the first says how labels are coded.
inline std::vector<std::string> remarks_on(const LabelledDesign& design, const Table& table) {
  std::vector<std::string> remarks =
      remarks_on(static_cast<const Design&>(design), static_cast<const Predictors&>(table));
  if (std::string labels = design.remark(table.labels_of); !labels.empty())
    remarks.insert(remarks.begin(), std::move(labels));
  return remarks;
}

/// A training table, and everything computed from its labels, rows and column names.
struct LabelledData {
  LabelledData(Table from, const Recipe& recipe, const Source& source)
      : table(std::move(from)),
        design(table, recipe, source.classes),
        cases(design.cases(table)),
        remarks(remarks_on(design, table)),
        response(response_name(source.response, table.path, remarks)),
        coefficients(regression::coefficients(design, table.path, remarks)) {}

  Table table;
  LabelledDesign design;
  Cases cases;
  std::vector<std::string> remarks;
  std::string response;  ///< name of the labels in results
  Coefficients coefficients;
};

}  // namespace mixwell::regression
