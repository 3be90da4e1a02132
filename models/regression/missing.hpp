// The manifest key that chooses what happens to table rows in which a value is missing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <string>

namespace mixwell::regression {

inline Field& declare_missing(Fields& fields, std::string& missing) {
  return fields.text("missing", missing)
      .one_of({"refuse", "drop"})
      .help(
          "csv: refuse the file or drop the row if a value is missing (empty, NA, N/A, NULL, ?, "
          "...)");
}

}  // namespace mixwell::regression
