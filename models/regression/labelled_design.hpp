// The rows x of a regression on two labels, and which label of a case is the positive one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "design.hpp"
#include "table.hpp"

#include <mixwell/plugin.hpp>

#include <cstddef>
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

/// Which label of the training table is the positive one.
class LabelCoding {
 public:
  LabelCoding(const Table& table, const LabelChoice& classes) : labels_(table.all_labels) {
    choose_positive(table, classes);
  }

  /// For each case of any table whether its label is the positive one.
  std::vector<bool> coded_labels(const Table& table) const {
    std::vector<bool> coded;
    for (std::size_t n = 0; n < table.labels.size(); ++n) {
      const std::string& label = table.labels[n];
      if (!labels_.contains(label))
        throw InputError(table.place(static_cast<Index>(n)) + ": the training data have no label " +
                         quoted(label) + " (labels found: " + listed(labels_) + ")");
      coded.push_back(is_positive(label));
    }
    return coded;
  }

 private:
  void require_label(const std::string& key, const std::string& label, const Table& table) const {
    if (labels_.contains(label)) return;
    throw ParameterError(key, "no case of " + table.labels_of + " has the label " + quoted(label) +
                                  " (labels found: " + listed(labels_) + ")");
  }

  void choose_positive(const Table& table, const LabelChoice& classes) {
    const auto& [positive, negative] = classes;
    if (negative && !positive) throw ParameterError("positive", "must be given where negative is");
    if (labels_.size() == 1)
      throw InputError(table.labels_of + ": every case has the label " + listed(labels_) +
                       "; a regression needs two classes");
    if (labels_.size() > 2 && !positive)
      throw ParameterError("positive", "must be given: there are " +
                                           std::to_string(labels_.size()) + " labels in " +
                                           table.labels_of + " (" + listed(labels_) +
                                           "); negative too leaves out all but two");
    positive_ = positive.value_or(*labels_.rbegin());
    require_label("positive", positive_, table);
    if (negative) require_label("negative", *negative, table);
    if (negative && is_positive(*negative))
      throw ParameterError("negative", "is the positive label too");
  }

  bool is_positive(const std::string& label) const {
    return !LabelLess()(label, positive_) && !LabelLess()(positive_, label);
  }

  LabelSet labels_;
  std::string positive_;
};

/// A design, and the coding of labels: both fixed by the training table, then applied to any.
/// Labels come first: where they are not as the keys say, there may be no case to scale by.
class LabelledDesign : private LabelCoding, public Design {
 public:
  LabelledDesign(const Table& table, const Recipe& recipe, const LabelChoice& classes)
      : LabelCoding(table, classes), Design(table, recipe) {}
  /// With a scale that is known.
  LabelledDesign(const Table& table, const Recipe& recipe, const LabelChoice& classes, Scale scale)
      : LabelCoding(table, classes), Design(table, recipe, std::move(scale)) {}

  Cases cases(const Table& table) const {
    return {rows(table), coded_labels(table), table.numbers};
  }
};

}  // namespace mixwell::regression
