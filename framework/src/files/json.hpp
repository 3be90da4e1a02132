// JSON from text and to text. nlohmann's templates for it take seconds to compile: here, once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>

#include <nlohmann/json.hpp>

#include <exception>
#include <string>

namespace mixwell {

/// Throws nlohmann's parse_error, and out_of_range for a number that is no double.
MIXWELL_INTERNAL nlohmann::ordered_json parse_json(const std::string& text);
/// Discarded, which contains nothing, where `text` is no JSON.
MIXWELL_INTERNAL nlohmann::ordered_json parse_json_or_discard(const std::string& text);

/// On one line, or on lines that are indented by so many spaces. Bytes that are not UTF-8 become
/// U+FFFD: names of files and messages may have them, and no text may end a run that has drawn.
MIXWELL_INTERNAL std::string json_text(const nlohmann::ordered_json& json, int indent = -1);
/// The same in ASCII, all other characters escaped.
MIXWELL_INTERNAL std::string ascii_json_text(const nlohmann::ordered_json& json);

/// The number; the text "inf" or "-inf" where it is infinite, which JSON has no number for; null
/// for NaN.
MIXWELL_INTERNAL nlohmann::ordered_json figure_json(double value);
/// What figure_json has made of a number. Throws nlohmann's type_error for anything else.
MIXWELL_INTERNAL double figure_in(const nlohmann::ordered_json& json);
/// The number of that key, infinite ones among them, or NaN where there is none.
MIXWELL_INTERNAL double number_in(const nlohmann::ordered_json& json, const char* key);

/// The JSON in a file. Throws InputError "PATH: is damaged: ..." and where it cannot be read, as
/// read_text_file.
MIXWELL_INTERNAL nlohmann::ordered_json read_json(const std::string& path, const std::string& what,
                                                  const std::string& cure = {});
/// Throws the same InputError for what `fault` found in a file.
[[noreturn]] MIXWELL_INTERNAL void throw_damaged(const std::string& path,
                                                 const std::exception& fault);

/// What a file says of a T, which has a from_json.
template <class T>
T read_json_as(const std::string& path, const std::string& what, const std::string& cure = {}) {
  const nlohmann::ordered_json json = read_json(path, what, cure);
  try {
    return json.get<T>();
  } catch (const nlohmann::ordered_json::exception& fault) {
    throw_damaged(path, fault);
  }
}

}  // namespace mixwell
