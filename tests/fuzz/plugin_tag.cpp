// Fuzz target: the reader of ELF files that looks at a plugin before any of its code runs.
// SPDX-License-Identifier: Apache-2.0
#include "fuzzing.hpp"
#include "plugin/abi_tag.hpp"

#include <mixwell/lab/registry.hpp>

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string path = fuzzing::folder().file("plugin.so", fuzzing::text_of(data, size));
  fuzzing::accepts([&] {
    const std::string tag = mixwell::read_abi_tag(path);
    if (tag.empty()) std::abort();
    mixwell::check_abi_tag(path);
  });
  return 0;
}
