// Fuzz target: CSV tables, cells as text and columns as numbers.
// SPDX-License-Identifier: Apache-2.0
#include "fuzzing.hpp"

#include <mixwell/data/data.hpp>

namespace {

void read(const mixwell::CsvTable& table) {
  for (const std::string& column : table.columns()) {
    fuzzing::accepts([&] { table.numbers(column); });
    const mixwell::Index k = table.find(column);
    for (mixwell::Index row = 0; row < table.rows(); ++row) {
      if (table.line(row) < 2) std::abort();
      (void)table.text(row, k);
    }
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string path = fuzzing::folder().file("table.csv", fuzzing::text_of(data, size));
  fuzzing::accepts([&] { read(mixwell::CsvTable(path)); });
  return 0;
}
