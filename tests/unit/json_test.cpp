// Texts with any bytes in JSON.
// SPDX-License-Identifier: Apache-2.0
#include "files/json.hpp"

#include "support.hpp"

TEST_CASE("a text that is not UTF-8 is written, and what can be read of it is kept", "[json]") {
  const nlohmann::ordered_json json = {{"file", "caf\xE9.csv"}, {"K\xF6ln", 1}};
  CHECK(mixwell::json_text(json) == "{\"file\":\"caf\uFFFD.csv\",\"K\uFFFDln\":1}");
  CHECK(mixwell::parse_json(mixwell::json_text(json, 2)).at("file") == "caf\uFFFD.csv");
  CHECK(mixwell::ascii_json_text("\xE9") == "\"\\ufffd\"");
}
