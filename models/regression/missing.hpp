// What becomes of rows of a table in which a value is missing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "labels.hpp"

#include <mixwell/plugin.hpp>

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace mixwell::regression {

inline Field& declare_missing(Fields& fields, std::string& missing) {
  return fields.text("missing", missing)
      .one_of({"refuse", "drop"})
      .help("csv: what becomes of rows where a value is missing (empty, NA, N/A, NULL, ?, ...)");
}

/// Rows that were left out for a missing value, and the texts that stood in its place.
struct DroppedRows {
  Index count = 0;
  std::set<std::string> texts{};
};

/// Takes rows without a value in one of the columns out, or refuses the first; `choice` says which
/// key chooses the columns, if one does.
inline DroppedRows settle_missing(CsvTable& csv, const std::vector<std::string>& columns,
                                  const std::string& missing, const std::string& choice = {}) {
  if (missing == "drop") {
    std::set<std::string> texts = csv.missing_texts(columns);
    return {csv.drop_missing(columns), std::move(texts)};
  }
  csv.refuse_missing(columns, "missing = \"drop\" leaves such rows out" + choice);
  return {};
}

/// Adds how many rows of the file `path` were left out, if any were.
inline void add_remark_on(const DroppedRows& dropped, const std::string& path,
                          std::vector<std::string>& remarks) {
  if (dropped.count == 0) return;
  std::string texts;
  for (const std::string& text : dropped.texts)
    texts += (texts.empty() ? "" : ", ") + (text.empty() ? "an empty cell" : quoted(text));
  remarks.push_back(std::to_string(dropped.count) +
                    (dropped.count == 1 ? " row of " : " rows of ") + path +
                    (dropped.count == 1 ? " lacks" : " lack") + " a value (" + texts + ") and " +
                    (dropped.count == 1 ? "is" : "are") + " left out.");
}

}  // namespace mixwell::regression
