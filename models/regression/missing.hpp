// What becomes of rows of a table in which a value is missing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <string>
#include <vector>

namespace mixwell::regression {

inline void declare_missing(Fields& fields, std::string& missing) {
  fields.text("missing", missing)
      .one_of({"refuse", "drop"})
      .help("csv: what becomes of rows where a value is missing (empty, NA or NaN)");
}

/// Takes rows without a value in one of the columns out and returns how many, or refuses the first.
inline Index settle_missing(CsvTable& csv, const std::vector<std::string>& columns,
                            const std::string& missing) {
  if (missing == "drop") return csv.drop_missing(columns);
  csv.refuse_missing(columns,
                     "missing = \"drop\" leaves such rows out, `inputs` says which columns count");
  return 0;
}

inline std::string remark_on_dropped(Index rows, const std::string& path) {
  return std::to_string(rows) + " rows of " + path + " lack a value and are left out.";
}

}  // namespace mixwell::regression
