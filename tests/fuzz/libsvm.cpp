// Fuzz target: tables in LIBSVM's text format, with and without a largest index.
// SPDX-License-Identifier: Apache-2.0
#include "fuzzing.hpp"

#include <mixwell/data/data.hpp>

#include <numeric>
#include <vector>

namespace {

void read(const mixwell::LibsvmTable& table) {
  std::vector<mixwell::Index> rows(static_cast<std::size_t>(table.rows()));
  std::iota(rows.begin(), rows.end(), mixwell::Index{0});
  for (const mixwell::Index row : rows) {
    if (table.label(row).empty() || table.line(row) < 1) std::abort();
  }
  table.dense(rows, table.largest_index());
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string path = fuzzing::folder().file("table.svm", fuzzing::text_of(data, size));
  for (const mixwell::Index limit : {0, 3})
    fuzzing::accepts([&] { read(mixwell::LibsvmTable(path, limit)); });
  return 0;
}
