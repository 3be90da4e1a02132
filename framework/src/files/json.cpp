// Converts JSON to and from text. One file does both because nlohmann's templates compile slowly.
// SPDX-License-Identifier: Apache-2.0
#include "files/json.hpp"

#include "files/reading.hpp"

#include <mixwell/base/error.hpp>

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace mixwell {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

Json parse_json(const std::string& text) { return Json::parse(text); }

Json parse_json_or_discard(const std::string& text) { return Json::parse(text, nullptr, false); }

std::string json_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string ascii_json_text(const Json& json) {
  return json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

Json figure_json(double value) {
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return std::isnan(value) ? Json(nullptr) : Json(value);
}

double figure_in(const Json& json) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (json == "inf") return infinity;
  if (json == "-inf") return -infinity;
  return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

double number_in(const Json& json, const char* key) {
  const auto found = json.find(key);
  const bool known =
      found != json.end() && (found->is_number() || *found == "inf" || *found == "-inf");
  return known ? figure_in(*found) : std::numeric_limits<double>::quiet_NaN();
}

Json read_json(const std::string& path, const std::string& what, const std::string& cure) {
  const std::string text = read_text_file(path, what, cure);
  try {
    return parse_json(text);
  } catch (const Json::exception& fault) {  // also for a number that is too large
    throw_damaged(path, fault);
  }
}

void throw_damaged(const std::string& path, const std::exception& fault) {
  throw InputError(
      {path, 0, 0},
      fmt::format("the file is damaged: {}. Correct the file, or make it again", fault.what()));
}

}  // namespace mixwell
