// Converts values of parameters, given in memory or in a JSON file, to coordinates.
// SPDX-License-Identifier: Apache-2.0
#include "law/parameter_positions.hpp"

#include "base/not_available.hpp"
#include "files/json.hpp"

#include <mixwell/base/error.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace mixwell {
namespace {

using Json = nlohmann::ordered_json;

/// The numbers of nested arrays, last index fastest. The shape gives the lengths of the arrays.
class Flattening {
 public:
  Flattening(std::string path, const Parameter& parameter)
      : path_(std::move(path)), parameter_(parameter) {}

  Eigen::VectorXd numbers_in(const Json& json) {
    add(json, 0);
    return Eigen::Map<const Eigen::VectorXd>(numbers_.data(), static_cast<Index>(numbers_.size()));
  }

 private:
  void add(const Json& json, std::size_t depth) {
    if (depth == parameter_.shape.size()) {
      if (!json.is_number()) refuse(json_text(json).substr(0, 40));
      numbers_.push_back(json.get<double>());
      return;
    }
    if (!json.is_array() || static_cast<Index>(json.size()) != parameter_.shape[depth])
      refuse(json.is_array() ? fmt::format("an array of length {}", json.size())
                             : json_text(json).substr(0, 40));
    for (const Json& one : json) add(one, depth + 1);
  }

  [[noreturn]] void refuse(const std::string& found) const {
    throw InputError(
        {path_, 0, 0},
        fmt::format("the values of `{}` contain {} where the shape ({}) of this parameter needs "
                    "{}. Give values of this shape",
                    parameter_.name, found, fmt::join(parameter_.shape, ", "),
                    parameter_.shape.empty() ? "a number" : "arrays of these lengths"));
  }

  std::string path_;
  const Parameter& parameter_;
  std::vector<double> numbers_;
};

/// The coordinates for one parameter's values. `where` is the source of the values.
Eigen::VectorXd coordinates_of(const std::string& where, const Parameter& parameter,
                               const Eigen::VectorXd& x) {
  const ConstraintMap map({parameter});
  const std::string rule = x.allFinite()
                               ? map.broken_rule(x)
                               : fmt::format("`{}`: all numbers must be finite", parameter.name);
  if (!rule.empty())
    throw InputError({where, 0, 0}, "impossible value of " + rule + ". Correct this value");
  Eigen::VectorXd theta(map.coordinates());
  map.unconstrain(x, theta);
  return theta;
}

std::vector<std::string> names_of(const std::vector<Parameter>& parameters) {
  std::vector<std::string> names;
  for (const Parameter& one : parameters) names.push_back(one.name);
  return names;
}

void require_known(const std::string& path, const Json& json,
                   const std::vector<std::string>& known) {
  if (!json.is_object() || json.empty())
    throw InputError(
        {path, 0, 0},
        fmt::format(
            "the file must contain a JSON object with values of parameters: {{\"{}\": VALUE, ...}}",
            known[0]));
  for (const auto& item : json.items())
    if (std::find(known.begin(), known.end(), item.key()) == known.end())
      throw InputError({path, 0, 0}, fmt::format("`{}` is not a parameter of the model{}",
                                                 item.key(), suggestion(item.key(), known)));
}

}  // namespace

ParameterPositions::ParameterPositions(const Model& model)
    : model_(model.name()), parameters_(model.parameters()) {}

void ParameterPositions::position(const std::vector<NamedValues>& values, Batch theta) const {
  Index row = 0;
  for (std::size_t k = 0; k < parameters_.size(); ++k) {
    const std::vector<double>& x = values[k].values;
    theta.col(0).segment(row, parameters_[k].coordinates()) =
        coordinates_of(fmt::format("model `{}`", model_), parameters_[k],
                       Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Index>(x.size())));
    row += parameters_[k].coordinates();
  }
}

void ParameterPositions::read_position(const std::string& path, Batch theta) const {
  const Json json = read_json(path, "starting point");
  require_known(path, json, names_of(parameters_));
  Index row = 0;
  for (const Parameter& parameter : parameters_) {
    auto here = theta.col(0).segment(row, parameter.coordinates());
    const auto found = json.find(parameter.name);
    if (found == json.end())
      here.setConstant(not_available);
    else
      here = coordinates_of(path, parameter, Flattening(path, parameter).numbers_in(*found));
    row += parameter.coordinates();
  }
}

std::shared_ptr<const NamedPositions> named_positions_of(const Model& model) {
  if (const NamedPositions* const own = model.offers<NamedPositions>(); own != nullptr)
    return {std::shared_ptr<const void>(), own};
  const Derived* const derived = model.offers<Derived>();
  if (derived != nullptr && derived->replaces_parameters()) return nullptr;
  return std::make_shared<ParameterPositions>(model);
}

}  // namespace mixwell
