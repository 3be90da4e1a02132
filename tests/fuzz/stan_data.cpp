// Fuzz target: data for Stan programs. What is taken is JSON for another reader as well.
// SPDX-License-Identifier: Apache-2.0
#include "../../models/stan/data.hpp"
#include "fuzzing.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string_view>

namespace {

/// Where the two readers mean the same: the other one knows no NaN and no Infinity, and looks at
/// characters beyond ASCII.
bool is_plain(std::string_view text) {
  for (const char* const word : {"NaN", "Infinity", "\\u"})
    if (text.find(word) != std::string_view::npos) return false;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

void read(std::string_view text) {
  mixwell::stan::read_data("data.json", text, {"y"});
  if (is_plain(text) && !nlohmann::json::parse(text).is_object()) std::abort();
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzzing::accepts([&] { read(fuzzing::text_of(data, size)); });
  return 0;
}
