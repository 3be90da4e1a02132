// What the parameters that a model declares must be, for anything to be made of them.
// SPDX-License-Identifier: Apache-2.0
#include "law/parameter_rules.hpp"

#include <mixwell/error.hpp>

#include <fmt/format.h>

namespace mixwell {
namespace {

constexpr Index most_coordinates = Index{1} << 32;

[[noreturn]] void refuse(const Parameter& parameter, const std::string& rule) {
  throw InputError(fmt::format("the parameter `{}` of shape {{{}}}: {}", parameter.name,
                               fmt::join(parameter.shape, ", "), rule));
}

/// Its size; no product is larger than the limit times a length that is no larger.
Index checked_size(const Parameter& parameter) {
  Index size = 1;
  for (const Index length : parameter.shape) {
    if (length < 1) refuse(parameter, "every length of a shape is at least 1");
    if (length > most_coordinates / size)
      refuse(parameter, fmt::format("it has more than 2^32 = {} coordinates", most_coordinates));
    size *= length;
  }
  return size;
}

void check_name(const Parameter& parameter) {
  if (parameter.name.empty()) refuse(parameter, "a name has at least one character");
  if (parameter.name.find('/') != std::string::npos)
    refuse(parameter, "a name has no slash, which would be a folder in draws.nc");
}

}  // namespace

void check_parameters(const std::vector<Parameter>& parameters) {
  if (parameters.empty()) throw InputError("it has no parameters, and so nothing to sample");
  Index dimension = 0;
  for (const Parameter& parameter : parameters) {
    check_name(parameter);
    dimension += checked_size(parameter);
    if (dimension > most_coordinates)
      refuse(parameter,
             fmt::format("with it there are more than 2^32 = {} coordinates", most_coordinates));
  }
}

}  // namespace mixwell
