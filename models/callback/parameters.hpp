// Parameters that a manifest declares: their names, their shapes and how they are recorded.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mixwell::callback {

struct Declared {
  std::vector<std::string> parameters;
  std::vector<std::string> exponential;
  std::vector<std::string> logistic;
  std::vector<std::string> absolute;

  void declare(Fields& fields) {
    fields.texts("parameters", parameters)
        .required()
        .help("names with shapes, in the order of theta: [\"mu\", \"theta[8]\", \"L[2, 3]\"]");
    fields.texts("exponential", exponential)
        .help("names of parameters recorded as exp(theta); default: none");
    fields.texts("logistic", logistic)
        .help("names of parameters recorded as 1 / (1 + exp(-theta)); default: none");
    fields.texts("absolute", absolute)
        .help("names of parameters recorded as |theta|; default: none");
  }
};

namespace detail {

inline constexpr std::string_view blanks = " \t";

inline std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// A whole number from 1 to most_coordinates.
inline std::optional<Index> length_in(std::string_view text) {
  Index value = 0;
  const std::string_view digits = trimmed(text);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool is_whole = error == std::errc() && end == digits.data() + digits.size();
  if (!is_whole || value < 1 || static_cast<double>(value) > most_coordinates) return std::nullopt;
  return value;
}

[[noreturn]] inline void refuse_declaration(const std::string& text, const std::string& why) {
  throw ParameterError(
      "parameters",
      "\"" + text + "\" " + why +
          ". Write a name, or a name with lengths such as \"theta[8]\" or \"L[2, 3]\".");
}

/// The parameter that "L[2, 3]" declares.
inline Parameter parameter_in(const std::string& text) {
  const std::string_view all = trimmed(text);
  const std::size_t open = all.find('[');
  Parameter parameter{.name = std::string(trimmed(all.substr(0, open))), .shape = {}};
  if (const std::string rule = broken_name_rule(parameter.name); !rule.empty())
    refuse_declaration(text, "has a name that " + rule);
  if (open == std::string_view::npos) return parameter;
  if (all.back() != ']') refuse_declaration(text, "must end with ]");
  std::string_view lengths = all.substr(open + 1, all.size() - open - 2);
  for (std::size_t comma = 0; comma != std::string_view::npos;) {
    comma = lengths.find(',');
    const auto length = length_in(lengths.substr(0, comma));
    if (!length) refuse_declaration(text, "has a length that is not a whole number from 1 to 2^32");
    parameter.shape.push_back(*length);
    if (comma != std::string_view::npos) lengths.remove_prefix(comma + 1);
  }
  return parameter;
}

inline std::vector<std::string> names_of(const std::vector<Parameter>& parameters) {
  std::vector<std::string> names;
  for (const Parameter& one : parameters) names.push_back(one.name);
  return names;
}

/// Sets the constraint of the parameters that `key` lists.
inline void set_constraint(const std::string& key, const std::vector<std::string>& listed,
                           const Constraint& constraint, std::vector<Parameter>& parameters) {
  for (const std::string& name : listed) {
    const auto found = std::find_if(parameters.begin(), parameters.end(),
                                    [&](const Parameter& one) { return one.name == name; });
    if (found == parameters.end())
      throw ParameterError(key, "\"" + name + "\" is not one of `parameters`" +
                                    suggestion(name, names_of(parameters)));
    if (found->constraint != Constraint())
      throw ParameterError(key, "\"" + name + "\" already has a constraint (" +
                                    found->constraint.text() +
                                    "). Give each parameter only one constraint.");
    found->constraint = constraint;
  }
}

}  // namespace detail

/// Throws ParameterError.
inline std::vector<Parameter> parameters_of(const Declared& declared) {
  std::vector<Parameter> all;
  double coordinates = 0;
  for (const std::string& text : declared.parameters) {
    all.push_back(detail::parameter_in(text));
    double size = 1;
    for (const Index length : all.back().shape) size *= static_cast<double>(length);
    coordinates += size;
    const std::vector<std::string> names = detail::names_of(all);
    if (std::count(names.begin(), names.end(), all.back().name) > 1)
      throw ParameterError("parameters", "\"" + all.back().name +
                                             "\" appears twice. Give each parameter its own name.");
  }
  if (coordinates > most_coordinates)
    throw ParameterError(
        "parameters",
        "must have at most 2^32 coordinates in total. Declare fewer or smaller parameters.");
  detail::set_constraint("exponential", declared.exponential, Constraint::positive(), all);
  detail::set_constraint("logistic", declared.logistic, Constraint::interval(0, 1), all);
  detail::set_constraint("absolute", declared.absolute, Constraint::absolute(), all);
  return all;
}

}  // namespace mixwell::callback
