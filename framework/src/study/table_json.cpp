// The table and the plan of a study as JSON.
// SPDX-License-Identifier: Apache-2.0
#include "study/table_json.hpp"

#include "files/json.hpp"

namespace mixwell {
namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json json_of(std::monostate) { return nullptr; }
Json json_of(const JsonText& value) { return parse_json(value.text); }
Json json_of(double value) { return figure_json(value); }
Json json_of(const auto& value) { return value; }

Json row_json(const StudyTable& table, const StudyRow& row, const std::vector<std::string>& names) {
  const std::vector<StudyValue> values = table.values(row);
  Json::object_t json;
  for (std::size_t k = 0; k < names.size(); ++k)
    json.emplace_back(names[k], study_value_json(values[k]));
  return json;
}

Json json_of(const PlannedCell& cell) {
  Json json = {{"cell", text_or_null(cell.cell)},
               {"label", cell.label},
               {"model", cell.model},
               {"variant", cell.variant},
               {"seed", cell.seed}};
  for (const auto& [key, value] : cell.axes) json[key] = study_value_json(value);
  json["status"] = to_string(cell.status);
  json["class"] = cell.certificate ? Json(*cell.certificate) : Json();
  json["refused"] = cell.refused;
  json["gradients"] = figure_json(cell.gradients);
  json["seconds"] = figure_json(cell.seconds);
  json["tuned"] = cell.tuned;
  if (!cell.reason.empty()) json["reason"] = cell.reason;
  return json;
}

}  // namespace

StudyValue study_value(const Json& json) {
  if (json.is_null()) return {};
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  return JsonText{json_text(json)};
}

Json study_value_json(const StudyValue& value) {
  return std::visit([](const auto& one) { return json_of(one); }, value);
}

void to_json(Json& json, const ErrorPoint& point) {
  json = {{"draws", point.draws},
          {"gradients", point.gradients},
          {"seconds", point.seconds},
          {"error_mean", figure_json(point.error_mean)},
          {"error_covariance", figure_json(point.error_covariance)}};
}

void from_json(const Json& json, ErrorPoint& point) {
  json.at("draws").get_to(point.draws);
  point.gradients = number_in(json, "gradients");
  point.seconds = number_in(json, "seconds");
  point.error_mean = number_in(json, "error_mean");
  point.error_covariance = number_in(json, "error_covariance");
}

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

static void to_json(Json& json, const StudyTrial& trial) {
  json = {{"model", trial.model},
          {"variant", trial.variant},
          {"axes", parse_json(trial.axes)},
          {"rung", trial.rung},
          {"candidate", trial.candidate},
          {"values", parse_json(trial.values)},
          {"objective", trial.objective},
          {"score", figure_json(trial.score)},
          {"gradients", figure_json(trial.gradients)},
          {"seconds", figure_json(trial.seconds)},
          {"reason", text_or_null(trial.reason)},
          {"winner", trial.winner}};
}

static Json tuning_json(const StudyTuning& tuning, double budget) {
  return {{"model", tuning.model},
          {"variant", tuning.variant},
          {"axes", parse_json(tuning.axes)},
          {"trials", tuning.trials},
          {"scored", tuning.scored},
          {"gradients", figure_json(tuning.gradients)},
          {"budget", figure_json(budget)},
          {"tuned", tuning.tuned ? Json(*tuning.tuned) : Json()},
          {"reason", text_or_null(tuning.reason)}};
}

std::string study_table_json(const StudyTable& table) {
  const std::vector<std::string> columns = table.columns();
  Json rows = Json::array();
  for (const StudyRow& row : table.rows) rows.push_back(row_json(table, row, columns));
  Json tunings = Json::array();
  for (const StudyTuning& one : table.tunings)
    tunings.push_back(tuning_json(one, table.tune_gradients));
  const Json json = {{"study", table.study},         {"file", table.file},
                     {"axes", table.axes},           {"aliases", table.aliases},
                     {"columns", columns},           {"rows", std::move(rows)},
                     {"tune", table.tune},           {"tunings", std::move(tunings)},
                     {"findings", table.findings()}, {"paper", table.paper}};
  return json_text(json) + "\n";
}

std::string study_plan_json(const StudyPlan& plan) {
  Json json = {{"study", plan.study}, {"cells", Json::array()}};
  for (const PlannedCell& cell : plan.cells) json["cells"].push_back(json_of(cell));
  if (plan.tune_gradients) json["tune_gradients"] = *plan.tune_gradients;
  return json_text(json) + "\n";
}

std::string study_table_json(const std::string& study_folder,
                             const std::function<void(const std::string&)>& remark) {
  return study_table_json(read_study_table(study_folder, remark));
}

}  // namespace mixwell
