// What add_operation refuses when a composition is made.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/error.hpp>
#include <mixwell/operation.hpp>

#include <fmt/format.h>

namespace mixwell::detail {

void require_values(const std::string& operation, const std::vector<Input>& inputs) {
  for (const Input& input : inputs) {
    if (input.value) continue;
    throw WiringError(fmt::format(
        "kernel graph: an edge of `{}`, read as `{}`, leads nowhere: it was made without "
        "a value of this graph",
        operation, to_string(input.role)));
  }
}

void refuse_other_edges(const std::string& operation) {
  throw WiringError(fmt::format(
      "kernel graph: `{}` shares the body of another operation and has other edges than that one",
      operation));
}

}  // namespace mixwell::detail
