// Fuzz target: compressed data files, as each of the readers takes them.
// SPDX-License-Identifier: Apache-2.0
#include "fuzzing.hpp"

#include <mixwell/data/data.hpp>

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string path = fuzzing::folder().file("data.gz", fuzzing::text_of(data, size));
  fuzzing::accepts([&] { mixwell::CsvTable{path}; });
  fuzzing::accepts([&] { mixwell::LibsvmTable{path}; });
  fuzzing::accepts([&] { mixwell::read_idx(path, path, [](std::uint8_t) { return true; }); });
  return 0;
}
