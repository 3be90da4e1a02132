// Points listed in a manifest, at which a logistic regression records P(positive).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../regression/design.hpp"
#include "likelihood.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace mixwell::logistic {

/// One point: inputs in their original units, a level for each factor, and optionally the offset.
class PointReader {
 public:
  using Values = std::map<std::string, std::variant<double, std::string>>;

  /// `offset`: the column of the table that is added to x theta, if any; `key`: the manifest key of
  /// the point.
  PointReader(const regression::Design& design, const std::optional<std::string>& offset,
              std::string key, const Values& values)
      : design_(design), offset_(offset), key_(std::move(key)), values_(values) {
    require_known();
  }

  /// The row of x at the point. Throws ParameterError if an input or a factor is missing, if a
  /// number is not finite, and for a level that the training data do not have.
  Eigen::RowVectorXd row() const {
    std::map<std::string, double> inputs;
    for (const std::string& input : design_.inputs()) inputs[input] = number(input);
    std::vector<Index> levels;
    for (const regression::Factor& factor : design_.factors()) levels.push_back(level(factor));
    return design_.row(inputs, levels);
  }

  /// Nothing if the table has offsets and the point does not give one.
  std::optional<double> offset() const {
    if (!offset_) return 0.0;
    return values_.contains(*offset_) ? std::optional(number(*offset_)) : std::nullopt;
  }

 private:
  void require_known() const {
    std::vector<std::string> known = design_.inputs();
    for (const regression::Factor& factor : design_.factors()) known.push_back(factor.name);
    if (offset_) known.push_back(*offset_);
    for (const auto& [name, value] : values_)
      if (std::find(known.begin(), known.end(), name) == known.end())
        throw ParameterError(key_, "this point has an unknown input " + regression::quoted(name) +
                                       suggestion(name, known));
  }

  const std::variant<double, std::string>& value(const std::string& name, const char* what) const {
    const auto found = values_.find(name);
    if (found == values_.end())
      throw ParameterError(key_, std::string("this point needs a value for the ") + what + " " +
                                     regression::quoted(name));
    return found->second;
  }

  double number(const std::string& input) const {
    const double* const given = std::get_if<double>(&value(input, "input"));
    if (given == nullptr)
      throw ParameterError(key_, regression::quoted(input) + " must be a number");
    if (!std::isfinite(*given))
      throw ParameterError(key_, regression::quoted(input) + " must be finite");
    return *given;
  }

  /// A level that is a number may be given as a number.
  Index level(const regression::Factor& factor) const {
    const auto& given = value(factor.name, "factor");
    const std::vector<std::string>& levels = factor.categories.levels;
    const auto is_given = [&](const std::string& one) {
      if (const auto* const text = std::get_if<std::string>(&given))
        return regression::are_equal(one, *text);
      return finite_number(one) == std::optional(std::get<double>(given));
    };
    const auto found = std::find_if(levels.begin(), levels.end(), is_given);
    if (found == levels.end()) refuse_level(factor, given);
    return found - levels.begin();
  }

  [[noreturn]] void refuse_level(const regression::Factor& factor,
                                 const std::variant<double, std::string>& given) const {
    const auto* const text = std::get_if<std::string>(&given);
    const std::string word = text != nullptr ? *text : "that number";
    throw ParameterError(
        key_,
        regression::quoted(factor.name) + ": the training data do not have " +
            (text != nullptr ? "the level " + regression::quoted(word) : "a level with " + word) +
            suggestion(word, factor.categories.levels));
  }

  const regression::Design& design_;
  const std::optional<std::string>& offset_;
  std::string key_;
  const Values& values_;
};

/// Probabilities of the positive label at named points.
class Points final : public Derived {
 public:
  /// `offset`: the name of the table's offsets. A point without its own offset has offset 0, and a
  /// remark says so.
  Points(const regression::Design& design, const std::optional<std::string>& offset,
         const NamedPoints& points, std::vector<std::string>& remarks)
      : x_(static_cast<Index>(points.size()), design.width()), offsets_(x_.rows()) {
    std::string without;
    for (const auto& [name, values] : points) {
      const PointReader reader(design, offset, "predict." + name, values);
      const auto row = static_cast<Index>(names_.size());
      x_.row(row) = reader.row();
      offsets_[row] = reader.offset().value_or(0.0);
      if (!reader.offset()) without += (without.empty() ? "" : ", ") + name;
      names_.push_back(name);
    }
    if (!without.empty())
      remarks.push_back("These predictions use offset 0: " + without + ". Give the key " +
                        regression::quoted(*offset) + " in the point to use a different offset.");
  }

  /// Throws ParameterError for a point with the name of a parameter, or with a name that draws.nc
  /// cannot have.
  void require_free_names(const std::vector<Parameter>& parameters) const {
    for (const std::string& name : names_) require_free_name(name, parameters);
  }

  std::vector<Parameter> quantities() const override {
    std::vector<Parameter> all;
    for (const std::string& name : names_) all.push_back({.name = name, .shape = {}});
    return all;
  }
  void derive(ConstBatch theta, Batch out) const override {
    out.noalias() = x_ * theta;
    out.colwise() += offsets_;
    Link::to_probabilities(out);
  }

 private:
  static void require_free_name(const std::string& name, const std::vector<Parameter>& parameters) {
    if (std::any_of(parameters.begin(), parameters.end(),
                    [&name](const Parameter& parameter) { return parameter.name == name; }))
      throw ParameterError("predict." + name,
                           "a parameter has this name. Choose another name for the point.");
    if (const std::string rule = broken_name_rule(name); !rule.empty())
      throw ParameterError("predict." + name, "the name " + rule + ". Choose another name.");
  }

  Eigen::MatrixXd x_;
  Eigen::VectorXd offsets_;
  std::vector<std::string> names_;
};

}  // namespace mixwell::logistic
