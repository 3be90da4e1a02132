// JSON from text and to text. nlohmann's templates for it take seconds to compile: here, once.
// SPDX-License-Identifier: Apache-2.0
#include "files/json.hpp"

namespace mixwell {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

Json parse_json(const std::string& text) { return Json::parse(text); }

Json parse_json_or_discard(const std::string& text) { return Json::parse(text, nullptr, false); }

std::string json_text(const Json& json, int indent) { return json.dump(indent); }

std::string lenient_json_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string ascii_json_text(const Json& json) {
  return json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

}  // namespace mixwell
