// Rows of a study's records, and the table and plan of a study as JSON.
// SPDX-License-Identifier: Apache-2.0
#include "study/rows.hpp"

#include "files/json.hpp"
#include "run/record.hpp"

namespace mixwell {
namespace study {
namespace {

constexpr Words<CellStatus, 4> cell_words = {{{CellStatus::pending, "pending"},
                                              {CellStatus::running, "running"},
                                              {CellStatus::done, "done"},
                                              {CellStatus::failed, "failed"}}};

template <class T>
T known(const std::optional<T>& found, const Json& word) {
  if (found) return *found;
  throw Json::other_error::create(501, json_text(word) + " is an unknown word", &word);
}

Json json_of(std::monostate) { return nullptr; }
Json json_of(const JsonText& value) { return parse_json(value.text); }
Json json_of(double value) { return figure_json(value); }
Json json_of(const auto& value) { return value; }

/// A row as JSON in the form that the table and the plan use.
template <class Values>
Json shown(const RowColumns<Values>& columns) {
  Json::object_t json;
  each_column(columns, [&](std::string_view name, const auto& value) {
    json.emplace_back(name, study_value_json(value_of(value)));
  });
  return json;
}

Json trial_json(const StudyTrial& trial) {
  return shown(RowColumns(
      "model variant axes rung candidate values objective score gradients seconds reason winner",
      std::tuple(trial.model, trial.variant, JsonText{trial.axes}, trial.rung, trial.candidate,
                 JsonText{trial.values}, trial.objective, trial.score, trial.gradients,
                 trial.seconds, trial.reason, trial.winner)));
}

Json tuning_json(const StudyTuning& tuning, double budget) {
  return shown(
      RowColumns("model variant axes trials scored gradients budget tuned reason",
                 std::tuple(tuning.model, tuning.variant, JsonText{tuning.axes}, tuning.trials,
                            tuning.scored, tuning.gradients, budget, tuning.tuned, tuning.reason)));
}

Json row_json(const StudyTable& table, const StudyRow& row, const std::vector<std::string>& names) {
  const std::vector<StudyValue> values = table.values(row);
  Json::object_t json;
  for (std::size_t k = 0; k < names.size(); ++k)
    json.emplace_back(names[k], study_value_json(values[k]));
  return json;
}

Json planned_json(const PlannedCell& cell) {
  Json json =
      shown(RowColumns("cell label model variant seed",
                       std::tie(cell.cell, cell.label, cell.model, cell.variant, cell.seed)));
  for (const auto& [key, value] : cell.axes) json[key] = study_value_json(value);
  json.update(
      shown(RowColumns("status class refused gradients seconds tuned",
                       std::tuple(cell.status, cell.certificate, std::optional(cell.refused),
                                  cell.gradients, cell.seconds, cell.tuned))));
  if (!cell.reason.empty()) json["reason"] = cell.reason;
  return json;
}

}  // namespace

void read_column(const Json& json, CellStatus& to) {
  to = known(find_word(cell_words, json.get_ref<const std::string&>()), json);
}

void read_column(const Json& json, EndedBy& to) {
  to = known(ended_by_from(json.get_ref<const std::string&>()), json);
}

void read_column(const Json& json, std::vector<ErrorPoint>& to) {
  parse_json(json.get_ref<const std::string&>()).get_to(to);
}

StudyValue value_of(const std::vector<ErrorPoint>& curve) {
  return curve.empty() ? StudyValue() : JsonText{json_text(curve)};
}

Json column_json(const StudyValue& value) {
  if (const bool* const flag = std::get_if<bool>(&value)) return *flag ? 1 : 0;
  if (const JsonText* const json = std::get_if<JsonText>(&value)) return json->text;
  const double* const number = std::get_if<double>(&value);
  const Json json = study_value_json(value);
  return number != nullptr && json.is_string() ? Json::object({{"real", json}}) : json;
}

}  // namespace study

using study::Json;

std::string_view to_string(CellStatus status) noexcept {
  return word_of(study::cell_words, status);
}

StudyValue study_value(const Json& json) {
  if (json.is_null()) return {};
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  return JsonText{json_text(json)};
}

Json study_value_json(const StudyValue& value) {
  return std::visit([](const auto& one) { return study::json_of(one); }, value);
}

void to_json(Json& json, const ErrorPoint& point) { json = study::shown(study::parts(point)); }

void from_json(const Json& json, ErrorPoint& point) { point = study::row_in<ErrorPoint>(json); }

void to_json(Json& json, const AxisAlias& alias) {
  json = {{"name", alias.name}, {"axes", alias.axes}};
}

void from_json(const Json& json, AxisAlias& alias) {
  json.at("name").get_to(alias.name);
  json.at("axes").get_to(alias.axes);
}

void to_json(Json& json, const PaperFigure& figure) {
  json = {{"where", parse_json(figure.where)},
          {"metric", figure.metric},
          {"value", figure.value},
          {"source", figure.source}};
}

void from_json(const Json& json, PaperFigure& figure) {
  figure.where = json_text(json.at("where"));
  json.at("metric").get_to(figure.metric);
  figure.value = number_in(json, "value");
  json.at("source").get_to(figure.source);
}

std::string study_table_json(const StudyTable& table) {
  const std::vector<std::string> columns = table.columns();
  Json rows = Json::array(), trials = Json::array(), tunings = Json::array();
  for (const StudyRow& row : table.rows) rows.push_back(study::row_json(table, row, columns));
  for (const StudyTrial& trial : table.tune) trials.push_back(study::trial_json(trial));
  for (const StudyTuning& one : table.tunings)
    tunings.push_back(study::tuning_json(one, table.tune_gradients));
  const Json json = {{"study", table.study},         {"file", table.file},
                     {"axes", table.axes},           {"aliases", table.aliases},
                     {"columns", columns},           {"rows", std::move(rows)},
                     {"tune", std::move(trials)},    {"tunings", std::move(tunings)},
                     {"findings", table.findings()}, {"paper", table.paper}};
  return json_text(json) + "\n";
}

std::string study_plan_json(const StudyPlan& plan) {
  Json json = {{"study", plan.study}, {"cells", Json::array()}};
  for (const PlannedCell& cell : plan.cells) json["cells"].push_back(study::planned_json(cell));
  if (plan.tune_gradients) json["tune_gradients"] = *plan.tune_gradients;
  return json_text(json) + "\n";
}

std::string study_table_json(const std::string& study_folder,
                             const std::function<void(const std::string&)>& remark) {
  return study_table_json(read_study_table(study_folder, remark));
}

}  // namespace mixwell
