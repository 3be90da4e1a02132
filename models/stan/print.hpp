// What `print` statements of Stan programs say.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "interface.hpp"

#include <cstdio>

namespace mixwell::stan {

/// Standard error is the log of a run; its standard output is what it reports. A library has one
/// callback for all its models, calls it by one thread at a time, and takes no exception from it.
inline void print_to_log(const Interface& library) {
  if (library.set_print_callback == nullptr) return;
  library.set_print_callback(
      [](const char* text, std::size_t size) { std::fwrite(text, 1, size, stderr); }, nullptr);
}

}  // namespace mixwell::stan
