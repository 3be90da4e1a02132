// A mutant of the fuzz targets: four bugs behind four bytes, which a fuzzer must find.
// SPDX-License-Identifier: Apache-2.0
#include "fuzzing.hpp"

#include <stdexcept>
#include <vector>

namespace {

void run_for_ever() {
  for (volatile bool goes_on = true; goes_on;) continue;
}

std::size_t claim_memory() {
  std::vector<char> bytes(std::size_t{5} << 28, 1);
  return bytes.size();
}

void write_nowhere() {
  volatile int* volatile nowhere = nullptr;
  *nowhere = 1;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzzing::text_of(data, size);
  if (text.starts_with("foreign")) throw std::out_of_range("planted");
  if (text.starts_with("endless")) run_for_ever();
  if (text.starts_with("greedy")) claim_memory();
  if (text.starts_with("crashing")) write_nowhere();
  return 0;
}
