// JSON from text and to text. nlohmann's templates for it take seconds to compile: here, once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>

#include <nlohmann/json.hpp>

#include <string>

namespace mixwell {

/// Throws nlohmann's parse_error.
MIXWELL_INTERNAL nlohmann::ordered_json parse_json(const std::string& text);
/// Discarded, which contains nothing, where `text` is no JSON.
MIXWELL_INTERNAL nlohmann::ordered_json parse_json_or_discard(const std::string& text);

/// On one line, or on lines that are indented by so many spaces. Throws nlohmann's type_error where
/// a string is no UTF-8.
MIXWELL_INTERNAL std::string json_text(const nlohmann::ordered_json& json, int indent = -1);
/// On one line; what is no UTF-8 becomes U+FFFD.
MIXWELL_INTERNAL std::string lenient_json_text(const nlohmann::ordered_json& json);
/// The same in ASCII, all other characters escaped.
MIXWELL_INTERNAL std::string ascii_json_text(const nlohmann::ordered_json& json);

}  // namespace mixwell
