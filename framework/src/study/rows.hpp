// Rows of a study's records, with the names of their columns, and the table as JSON.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "files/json.hpp"
#include "study/task.hpp"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

namespace mixwell {

StudyValue study_value(const nlohmann::ordered_json& json);
nlohmann::ordered_json study_value_json(const StudyValue& value);

// Functions that read JSON throw nlohmann's exceptions.

void to_json(nlohmann::ordered_json& json, const ErrorPoint& point);
void from_json(const nlohmann::ordered_json& json, ErrorPoint& point);
void to_json(nlohmann::ordered_json& json, const AxisAlias& alias);
void from_json(const nlohmann::ordered_json& json, AxisAlias& alias);
void to_json(nlohmann::ordered_json& json, const PaperFigure& figure);
void from_json(const nlohmann::ordered_json& json, PaperFigure& figure);

}  // namespace mixwell

namespace mixwell::study {

using Json = nlohmann::ordered_json;

/// Whether the cell needs no more work.
inline bool has_ended(CellStatus status) noexcept {
  return status == CellStatus::done || status == CellStatus::failed;
}

/// A place of the study and its cell. Several places may share one cell.
struct StudyPlace {
  std::int64_t place = 0;  ///< counted from 1
  std::string label;
  std::string model;
  std::string variant;
  std::int64_t seed = 0;
  std::string axes;  ///< JSON object
  std::string cell;
};

/// A present or past cell of a place.
struct PastCell {
  std::string label;
  std::int64_t number = 0;  ///< number of this cell among the cells of the label, counted from 1
  std::string cell;
  std::string since;
};

struct TrialRow : StudyTrial {
  std::string tuning;
};

struct TuningSum : StudyTuning {
  std::string tuning;
};

struct MetricRow : CellMetric {
  std::string cell;
};

/// The reference with which a cell was compared.
struct ComparedRow {
  std::string cell;
  std::string reference;
};

/// T or const T.
template <class Type, class T>
concept Is = std::same_as<std::remove_const_t<Type>, T>;

/// Names and values of columns, in the order of records and of study.sqlite.
template <class Values>
struct RowColumns {
  RowColumns(std::string_view words, Values all) : names(words), values(all) {}
  std::string_view names;
  Values values;
};

auto parts(Is<StudyPlace> auto& row) {
  return RowColumns(
      "place label model variant seed axes cell",
      std::tie(row.place, row.label, row.model, row.variant, row.seed, row.axes, row.cell));
}
auto parts(Is<PastCell> auto& row) {
  return RowColumns("label number cell since",
                    std::tie(row.label, row.number, row.cell, row.since));
}
auto parts(Is<TrialRow> auto& row) {
  return RowColumns(
      "tuning rung candidate model variant axes values objective score gradients seconds reason "
      "winner",
      std::tie(row.tuning, row.rung, row.candidate, row.model, row.variant, row.axes, row.values,
               row.objective, row.score, row.gradients, row.seconds, row.reason, row.winner));
}
auto parts(Is<TuningSum> auto& row) {
  return RowColumns("tuning model variant axes trials scored gradients tuned reason",
                    std::tie(row.tuning, row.model, row.variant, row.axes, row.trials, row.scored,
                             row.gradients, row.tuned, row.reason));
}
auto parts(Is<CellRow> auto& row) {
  return RowColumns(
      "cell sha256 status reason outcome class min_ess min_ess_mcse gradients seconds "
      "warmup_gradients warmup_seconds cell_seconds draws draws_sha256 attempts started_at "
      "ended_at host versions curve ingredients manifest summary run",
      std::tie(row.cell, row.sha256, row.status, row.reason, row.outcome, row.certificate,
               row.min_ess, row.min_ess_mcse, row.gradients, row.seconds, row.warmup_gradients,
               row.warmup_seconds, row.cell_seconds, row.draws, row.draws_sha256, row.attempts,
               row.started_at, row.ended_at, row.host, row.versions, row.curve, row.ingredients,
               row.manifest, row.summary, row.run));
}
auto parts(Is<MetricRow> auto& row) {
  return RowColumns("cell name value mcse", std::tie(row.cell, row.name, row.value, row.mcse));
}
auto parts(Is<ErrorPoint> auto& row) {
  return RowColumns(
      "draws gradients seconds error_mean error_covariance",
      std::tie(row.draws, row.gradients, row.seconds, row.error_mean, row.error_covariance));
}
auto parts(Is<ComparedRow> auto& row) {
  return RowColumns("cell reference", std::tie(row.cell, row.reference));
}

// The value of a column. NaN and "" mean an unknown value and become an empty StudyValue.

inline StudyValue value_of(std::int64_t number) { return number; }
inline StudyValue value_of(bool value) { return value; }
inline StudyValue value_of(double number) {
  return std::isnan(number) ? StudyValue() : StudyValue(number);
}
inline StudyValue value_of(const std::string& text) {
  return text.empty() ? StudyValue() : StudyValue(text);
}
inline StudyValue value_of(CellStatus status) { return std::string(to_string(status)); }
inline StudyValue value_of(EndedBy ended_by) { return std::string(to_string(ended_by)); }
inline StudyValue value_of(const JsonText& json) { return json; }
StudyValue value_of(const std::vector<ErrorPoint>& curve);
/// A text without std::optional is unknown if it is "". A std::optional that contains "" is a
/// known, empty text.
template <class T>
StudyValue value_of(const std::optional<T>& value) {
  if (!value) return {};
  if constexpr (std::is_same_v<T, std::string>)
    return *value;
  else
    return value_of(*value);
}

/// Writes a value for a record. A flag is 1 or 0, and JSON is a string. An infinite number is
/// {"real": "inf"}, because JSON has no infinite numbers.
Json column_json(const StudyValue& value);

inline void read_column(const Json& json, std::string& to) { json.get_to(to); }
inline void read_column(const Json& json, std::int64_t& to) { json.get_to(to); }
inline void read_column(const Json& json, bool& to) { to = json.get<std::int64_t>() != 0; }
inline void read_column(const Json& json, double& to) {
  to = figure_in(json.is_object() ? json.at("real") : json);
}
void read_column(const Json& json, CellStatus& to);
void read_column(const Json& json, EndedBy& to);
void read_column(const Json& json, std::vector<ErrorPoint>& to);
template <class T>
void read_column(const Json& json, std::optional<T>& to) {
  read_column(json, to.emplace());
}

/// Calls `use` with the name and the value of each column.
template <class Values, class Use>
void each_column(const RowColumns<Values>& columns, Use use) {
  std::string_view left = columns.names;
  const auto next = [&](auto& value) {
    const std::size_t end = std::min(left.find(' '), left.size());
    use(left.substr(0, end), value);
    left.remove_prefix(std::min(end + 1, left.size()));
  };
  std::apply([&](auto&... value) { (next(value), ...); }, columns.values);
}

template <class Row>
Json json_of_row(const Row& row) {
  Json::object_t json;
  each_column(parts(row), [&](std::string_view name, const auto& value) {
    json.emplace_back(name, column_json(value_of(value)));
  });
  return json;
}

/// Reads a row. Missing and null values are unknown. Throws nlohmann's exceptions for an unknown
/// column or a value of the wrong type.
template <class Row>
Row row_in(const Json& json) {
  Row row;
  const auto& found = json.get_ref<const Json::object_t&>();
  auto at = found.begin();  // columns usually have the expected order
  std::size_t known = 0;
  each_column(parts(row), [&](std::string_view name, auto& value) {
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, double>) value = unknown;
    if (at == found.end() || at->first != name)
      at = std::find_if(found.begin(), found.end(),
                        [&](const auto& one) { return one.first == name; });
    if (at == found.end()) return;
    ++known;
    if (!at->second.is_null()) read_column(at->second, value);
    ++at;
  });
  if (known == json.size()) return row;
  throw Json::other_error::create(501, "a row has an unknown column", &json);
}

template <class Row>
std::vector<Row> rows_in(const Json& record, const char* table) {
  std::vector<Row> rows;
  for (const Json& json : record.at(table).template get_ref<const Json::array_t&>())
    rows.push_back(row_in<Row>(json));
  return rows;
}

template <class Row>
Json json_of_rows(const std::vector<Row>& rows) {
  Json json = Json::array();
  for (const Row& row : rows) json.push_back(json_of_row(row));
  return json;
}

}  // namespace mixwell::study
