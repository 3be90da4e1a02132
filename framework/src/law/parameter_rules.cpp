// What the parameters that a model declares must be, for anything to be made of them.
// SPDX-License-Identifier: Apache-2.0
#include "law/parameter_rules.hpp"

#include "base/shortened.hpp"
#include "base/utf8.hpp"

#include <mixwell/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

namespace mixwell {
namespace {

constexpr auto most = static_cast<Index>(most_coordinates);

[[noreturn]] void refuse(const Parameter& parameter, const std::string& rule) {
  throw InputError(fmt::format("the parameter `{}` of shape {{{}}}: {}", shortened(parameter.name),
                               fmt::join(parameter.shape, ", "), rule));
}

/// Its size; no product is larger than the limit times a length that is no larger.
Index checked_size(const Parameter& parameter) {
  Index size = 1;
  for (const Index length : parameter.shape) {
    if (length < 1) refuse(parameter, "every length of a shape is at least 1");
    if (length > most / size)
      refuse(parameter, fmt::format("it has more than 2^32 = {} coordinates", most));
    size *= length;
  }
  return size;
}

void check_name(const Parameter& parameter) {
  const std::string rule = broken_name_rule(parameter.name);
  if (!rule.empty()) refuse(parameter, "its name " + rule);
}

/// Of names that are recorded with a number behind them, such as `x_dim_0`; netCDF takes 256 bytes.
constexpr std::size_t longest_name = 240;

/// What draws.nc and its readers use for themselves.
constexpr std::array<std::string_view, 5> reserved = {"chain", "draw", "replicate", "slot",
                                                      "sample"};

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

bool begins_well(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || std::isalnum(byte) != 0 || c == '_';
}

}  // namespace

std::string broken_name_rule(std::string_view name) {
  if (name.empty()) return "is empty";
  if (name.size() > longest_name)
    return fmt::format("has {} bytes, and may have {}", name.size(), longest_name);
  if (!is_utf8(name)) return "is not valid UTF-8";
  if (name.find('/') != std::string_view::npos)
    return "has a slash, which would be a folder in draws.nc";
  if (std::any_of(name.begin(), name.end(), is_control)) return "has a control character";
  if (!begins_well(name.front()))
    return "begins with neither a letter, a digit, `_` nor a character beyond ASCII";
  if (name.back() == ' ') return "ends with a blank";
  if (std::find(reserved.begin(), reserved.end(), name) != reserved.end())
    return "is one that draws.nc uses itself";
  return {};
}

void check_parameters(const std::vector<Parameter>& parameters) {
  if (parameters.empty()) throw InputError("it has no parameters, and so nothing to sample");
  Index dimension = 0;
  std::set<std::string_view> names;
  for (const Parameter& parameter : parameters) {
    check_name(parameter);
    if (!names.insert(parameter.name).second) refuse(parameter, "another has the same name");
    dimension += checked_size(parameter);
    const std::string rule = parameter.constraint.broken_shape_rule(parameter.shape);
    if (!rule.empty()) refuse(parameter, "its constraint " + rule);
    if (dimension > most)
      refuse(parameter, fmt::format("with it there are more than 2^32 = {} coordinates", most));
  }
}

}  // namespace mixwell
