// The key that says what becomes of rows of a table in which a value is missing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <string>

namespace mixwell::regression {

inline Field& declare_missing(Fields& fields, std::string& missing) {
  return fields.text("missing", missing)
      .one_of({"refuse", "drop"})
      .help("csv: what becomes of rows where a value is missing (empty, NA, N/A, NULL, ?, ...)");
}

}  // namespace mixwell::regression
