// Points at which a logistic regression predicts, as a manifest writes them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../regression/design.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace mixwell::logistic {

/// z -> 1 / (1 + exp(-z)).
inline void to_probabilities(Batch z) { z = (1.0 + (-z.array()).exp()).inverse().matrix(); }

/// One point: its inputs in their own units, and a level of each factor.
class PointReader {
 public:
  using Values = std::map<std::string, std::variant<double, std::string>>;

  /// `key`: what says it in the manifest.
  PointReader(const regression::Design& design, std::string key, const Values& values)
      : design_(design), key_(std::move(key)), values_(values) {
    require_known();
  }

  /// The row of x there. Throws ParameterError for an input or a factor that is left out, for a
  /// number that is not finite, and for a level that the training data have not.
  Eigen::RowVectorXd row() const {
    std::map<std::string, double> inputs;
    for (const std::string& input : design_.inputs()) inputs[input] = number(input);
    std::vector<Index> levels;
    for (const regression::Factor& factor : design_.factors()) levels.push_back(level(factor));
    return design_.row(inputs, levels);
  }

 private:
  void require_known() const {
    std::vector<std::string> known = design_.inputs();
    for (const regression::Factor& factor : design_.factors()) known.push_back(factor.name);
    for (const auto& [name, value] : values_)
      if (std::find(known.begin(), known.end(), name) == known.end())
        throw ParameterError(
            key_, "there is no input " + regression::quoted(name) + suggestion(name, known));
  }

  const std::variant<double, std::string>& value(const std::string& name, const char* what) const {
    const auto found = values_.find(name);
    if (found == values_.end())
      throw ParameterError(key_, std::string("lacks the ") + what + " " + regression::quoted(name));
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

  /// A level may be written as the number that it is.
  Index level(const regression::Factor& factor) const {
    const auto& given = value(factor.name, "factor");
    const std::vector<std::string>& levels = factor.categories.levels;
    const auto is_given = [&](const std::string& one) {
      if (const auto* const text = std::get_if<std::string>(&given)) return one == *text;
      return regression::number(one) == std::optional(std::get<double>(given));
    };
    const auto found = std::find_if(levels.begin(), levels.end(), is_given);
    if (found == levels.end()) refuse_level(factor, given);
    return found - levels.begin();
  }

  [[noreturn]] void refuse_level(const regression::Factor& factor,
                                 const std::variant<double, std::string>& given) const {
    const auto* const text = std::get_if<std::string>(&given);
    const std::string word = text != nullptr ? *text : "that number";
    throw ParameterError(key_, regression::quoted(factor.name) +
                                   ": the training data have no level " +
                                   (text != nullptr ? regression::quoted(word) : word) +
                                   suggestion(word, factor.categories.levels));
  }

  const regression::Design& design_;
  std::string key_;
  const Values& values_;
};

/// Probabilities of the positive label at named points.
class Points final : public Derived {
 public:
  Points(const regression::Design& design, const NamedPoints& points,
         const std::vector<Parameter>& parameters)
      : x_(static_cast<Index>(points.size()), design.width()) {
    for (const auto& [name, values] : points) {
      require_name(name, parameters);
      x_.row(static_cast<Index>(names_.size())) =
          PointReader(design, "predict." + name, values).row();
      names_.push_back(name);
    }
  }

  std::vector<Parameter> quantities() const override {
    std::vector<Parameter> all;
    for (const std::string& name : names_) all.push_back({.name = name, .shape = {}});
    return all;
  }
  void derive(ConstBatch theta, Batch out) const override {
    out.noalias() = x_ * theta;
    to_probabilities(out);
  }

 private:
  static void require_name(const std::string& name, const std::vector<Parameter>& parameters) {
    if (std::any_of(parameters.begin(), parameters.end(),
                    [&name](const Parameter& parameter) { return parameter.name == name; }))
      throw ParameterError("predict." + name, "the name is taken; choose another");
    if (const std::string rule = broken_name_rule(name); !rule.empty())
      throw ParameterError("predict." + name, "the name " + rule + "; choose another");
  }

  Eigen::MatrixXd x_;
  std::vector<std::string> names_;
};

}  // namespace mixwell::logistic
