// The contents of a study's report page: the table of the study, stored column by column.
// SPDX-License-Identifier: Apache-2.0
#include "files/json.hpp"
#include "page/rounding.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/lab/page.hpp>
#include <mixwell/version.hpp>

#include <algorithm>
#include <map>

namespace mixwell {
namespace {

using page::Json;

constexpr int table_digits = 6;
constexpr int curve_digits = 4;
constexpr std::size_t most_curve_points = 20;
constexpr const char* curve_column = "curve";

/// A scalar in the form of the page: numbers rounded, lists and tables as text.
Json scalar(const Json& value) {
  if (value.is_number_float()) return page::to_digits(value.get<double>(), table_digits);
  if (value.is_structured()) return json_text(value);
  return value;
}

/// Compresses a column that has only texts and null: {"words": the distinct texts, "at": for each
/// row the index of its text, or null}.
Json by_words(const Json& column) {
  std::map<std::string, std::size_t> numbers;
  Json words = Json::array();
  Json at = Json::array();
  for (const Json& value : column) {
    if (value.is_null()) {
      at.push_back(nullptr);
      continue;
    }
    if (!value.is_string()) return column;
    const auto [found, fresh] = numbers.emplace(value.get<std::string>(), numbers.size());
    if (fresh) words.push_back(value);
    at.push_back(found->second);
  }
  return {{"words", std::move(words)}, {"at", std::move(at)}};
}

Json column_of(const Json& rows, const std::string& name) {
  Json column = Json::array();
  for (const Json& row : rows) {
    const auto found = row.find(name);
    column.push_back(found == row.end() ? Json(nullptr) : scalar(*found));
  }
  return name == "cell" ? column : by_words(column);
}

/// The numbers under `key` for at most `most_curve_points` points, including the last one.
Json curve_numbers(const Json& curve, const std::string& key) {
  const std::size_t count = std::min(curve.size(), most_curve_points);
  Json numbers = Json::array();
  for (std::size_t k = 1; k <= count; ++k) {
    const Json& point = curve[k * curve.size() / count - 1];
    const auto found = point.find(key);
    const bool known = found != point.end() && found->is_number();
    numbers.push_back(known ? page::to_digits(found->get<double>(), curve_digits) : Json(nullptr));
  }
  return numbers;
}

Json curves_of(const Json& rows) {
  Json curves = Json::array();
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto found = rows[r].find(curve_column);
    if (found == rows[r].end() || !found->is_array() || found->empty()) continue;
    Json one = {{"row", r}};
    for (const char* const key : {"gradients", "seconds", "error_mean", "error_covariance"})
      one[key] = curve_numbers(*found, key);
    curves.push_back(std::move(one));
  }
  return curves;
}

bool is_alias(const Json& alias) {
  return alias.is_object() && alias.value("name", Json()).is_string() &&
         alias.value("axes", Json()).is_array();
}

bool is_text(const Json& value) { return value.is_string(); }
bool is_object(const Json& value) { return value.is_object(); }

/// Whether `list` is a list and is_one is true for every item.
bool is_list_of(const Json& list, bool (*is_one)(const Json&)) {
  return list.is_array() && std::all_of(list.begin(), list.end(), is_one);
}

Json parse_table(const std::string& table, const std::string& source) {
  const Json parsed = parse_json_or_discard(table);
  const Json nothing = Json::array();
  const auto at = [&](const char* key) -> const Json& {
    const auto found = parsed.find(key);
    return found == parsed.end() ? nothing : *found;
  };
  const auto is_text_if_there = [&](const char* key) {
    return !parsed.contains(key) || at(key).is_string();
  };
  const bool good = parsed.is_object() && parsed.contains("columns") && parsed.contains("rows") &&
                    is_list_of(at("columns"), is_text) && is_list_of(at("rows"), is_object) &&
                    is_list_of(at("aliases"), is_alias) && is_text_if_there("study") &&
                    is_text_if_there("file") && at("axes").is_array() && at("paper").is_array() &&
                    at("tunings").is_array() && at("findings").is_array();
  if (!good)
    throw InputError(
        {source, 0, 0},
        "this is not the table of a study. Give the output of `mixwell study STUDY.toml --table "
        "--json`.");
  return parsed;
}

}  // namespace

std::string study_page_json(const std::string& table, const std::string& source) {
  const Json study = parse_table(table, source);
  const Json& rows = study["rows"];
  Json columns = Json::array();
  Json numbers = Json::object();
  for (const Json& column : study["columns"]) {
    const auto name = column.get<std::string>();
    if (name == curve_column) continue;
    columns.push_back(name);
    numbers[name] = column_of(rows, name);
  }
  const Json data = {{"kind", "study"},
                     {"mixwell", MIXWELL_VERSION},
                     {"name", study.value("study", source)},
                     {"file", study.value("file", "")},
                     {"axes", study.value("axes", Json::array())},
                     {"aliases", study.value("aliases", Json::array())},
                     {"columns", std::move(columns)},
                     {"rows", rows.size()},
                     {"table", std::move(numbers)},
                     {"curves", curves_of(rows)},
                     {"paper", study.value("paper", Json::array())},
                     {"tune", study.value("tune", Json(nullptr))},
                     {"tunings", study.value("tunings", Json::array())},
                     {"findings", study.value("findings", Json::array())}};
  return json_text(data);
}

}  // namespace mixwell
