// What densities that read or give what they may not are told.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/density/density_model.hpp>
#include <mixwell/error.hpp>

#include <fmt/format.h>

namespace mixwell::detail {

void refuse_element(const std::string& name, Index index, Index size) {
  throw RunError(fmt::format("element {} of `{}`, which has {}, is read: they count from 0", index,
                             name, size));
}

std::string trouble_text(const std::string& what, double value) {
  return fmt::format("{} is {}", what, value);
}

}  // namespace mixwell::detail
