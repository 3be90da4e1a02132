// Writes and reads summary.json.
// SPDX-License-Identifier: Apache-2.0
#include "results/summary_json.hpp"

#include "files/json.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace mixwell {
namespace {

using Json = nlohmann::ordered_json;

/// Appends, because a JSON object is a vector of pairs and searching it for each name is quadratic.
Json object_of(const std::vector<NamedFigure>& figures) {
  Json::object_t object;
  for (const auto& [name, value] : figures) object.emplace_back(name, figure_json(value));
  return object;
}

std::vector<NamedFigure> figures_in(const Json& object) {
  std::vector<NamedFigure> figures;
  for (const auto& [name, value] : object.items()) figures.emplace_back(name, figure_in(value));
  return figures;
}

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

template <class T>
void get_if_there(const Json& json, const char* key, std::optional<T>& value) {
  const auto found = json.find(key);
  if (found == json.end() || found->is_null()) return;
  T read;
  found->get_to(read);
  value = std::move(read);
}

/// Whether the key names a paper's estimator, as every key outside the fixed list does.
bool is_of_paper(const std::string& key) {
  const auto is_key = [&](const auto& one) { return key == one; };
  const auto is_name = [&](const StandardFigure& figure) { return key == figure.name; };
  return std::none_of(standard_figures.begin(), standard_figures.end(), is_name) &&
         std::none_of(keys_beside_figures.begin(), keys_beside_figures.end(), is_key);
}

Json row_json(const SummaryRow& row) {
  Json json = Json::object();
  for (const StandardFigure& figure : standard_figures)
    json[figure.name] = figure_json(row.standard.*figure.value);
  for (const auto& [name, value] : row.papers) json[name] = figure_json(value);
  json["unreliable"] = row.unreliable;
  if (row.whole) json["whole"] = true;
  if (!row.label.empty()) json["label"] = row.label;
  if (row.is_element()) json["indices"] = row.indices;
  if (row.nan_draws > 0) json["nan_draws"] = row.nan_draws;
  if (row.infinite_draws > 0) json["infinite_draws"] = row.infinite_draws;
  if (row.constant) json["constant"] = true;
  return json;
}

SummaryRow row_in(const std::string& name, const Json& json) {
  SummaryRow row{name};
  for (const StandardFigure& figure : standard_figures)
    row.standard.*figure.value = figure_in(json.at(figure.name));
  for (const auto& [key, value] : json.items())
    if (is_of_paper(key)) row.papers.emplace_back(key, figure_in(value));
  json.at("unreliable").get_to(row.unreliable);
  row.whole = json.contains("whole");
  row.label = json.value("label", "");
  row.indices = json.value("indices", row.indices);
  row.nan_draws = json.value("nan_draws", std::int64_t{0});
  row.infinite_draws = json.value("infinite_draws", std::int64_t{0});
  row.constant = json.contains("constant");
  return row;
}

Json rows_json(const std::vector<SummaryRow>& rows) {
  Json::object_t object;
  for (const SummaryRow& row : rows) object.emplace_back(row.name, row_json(row));
  return object;
}

std::vector<SummaryRow> rows_in(const Json& object) {
  std::vector<SummaryRow> rows;
  for (const auto& [name, row] : object.items()) rows.push_back(row_in(name, row));
  return rows;
}

}  // namespace

static void to_json(Json& json, const KernelFigures& one) {
  json = {{"kernel", one.kernel},
          {"acceptance", figure_json(one.acceptance)},
          {"divergences", or_null(one.divergences)}};
  if (one.reached_max_depth) json["reached_max_depth"] = *one.reached_max_depth;
}

static void from_json(const Json& json, KernelFigures& one) {
  json.at("kernel").get_to(one.kernel);
  one.acceptance = number_in(json, "acceptance");
  get_if_there(json, "divergences", one.divergences);
  get_if_there(json, "reached_max_depth", one.reached_max_depth);
}

static void to_json(Json& json, const SamplerSummary& sampler) {
  json = {{"acceptance", figure_json(sampler.acceptance)},
          {"divergences", or_null(sampler.divergences)},
          {"ebfmi", figure_json(sampler.ebfmi)},
          {"min_ess", figure_json(sampler.min_ess)},
          {"min_ess_mcse", figure_json(sampler.min_ess_mcse)},
          {"mean_ess", figure_json(sampler.mean_ess)},
          {"min_ess_per_gradient", figure_json(sampler.min_ess_per_gradient)},
          {"min_ess_per_second", figure_json(sampler.min_ess_per_second)},
          {"min_ess_reliable", or_null(sampler.min_ess_reliable)}};
  if (sampler.reached_max_depth) json["reached_max_depth"] = *sampler.reached_max_depth;
  if (sampler.still_chains) json["still_chains"] = *sampler.still_chains;
  if (!sampler.kernels.empty()) json["kernels"] = sampler.kernels;
}

static void from_json(const Json& json, SamplerSummary& sampler) {
  sampler.acceptance = number_in(json, "acceptance");
  get_if_there(json, "divergences", sampler.divergences);
  sampler.ebfmi = number_in(json, "ebfmi");
  sampler.min_ess = number_in(json, "min_ess");
  sampler.min_ess_mcse = number_in(json, "min_ess_mcse");
  sampler.mean_ess = number_in(json, "mean_ess");
  sampler.min_ess_per_gradient = number_in(json, "min_ess_per_gradient");
  sampler.min_ess_per_second = number_in(json, "min_ess_per_second");
  get_if_there(json, "min_ess_reliable", sampler.min_ess_reliable);
  get_if_there(json, "reached_max_depth", sampler.reached_max_depth);
  get_if_there(json, "still_chains", sampler.still_chains);
  if (json.contains("kernels")) json.at("kernels").get_to(sampler.kernels);
}

static void to_json(Json& json, const NotJudged& one) {
  json = {{"variable", one.variable.empty() ? Json(nullptr) : Json(one.variable)},
          {"more", one.more},
          {"figures", one.figures},
          {"because", one.because},
          {"draws", one.draws}};
}

static void from_json(const Json& json, NotJudged& one) {
  if (json.at("variable").is_string()) json.at("variable").get_to(one.variable);
  json.at("more").get_to(one.more);
  json.at("figures").get_to(one.figures);
  json.at("because").get_to(one.because);
  json.at("draws").get_to(one.draws);
}

static void to_json(Json& json, const DirectionsSummary::Smallest& smallest) {
  json = {{"name", smallest.name},
          {"ess_bulk", smallest.ess_bulk},
          {"weights", object_of(smallest.weights)}};
}

static void from_json(const Json& json, DirectionsSummary::Smallest& smallest) {
  json.at("name").get_to(smallest.name);
  smallest.ess_bulk = figure_in(json.at("ess_bulk"));
  smallest.weights = figures_in(json.at("weights"));
}

static void to_json(Json& json, const DirectionsSummary& directions) {
  json = {{"from", directions.from},
          {"coordinates", directions.coordinates},
          {"left_out", directions.left_out},
          {"degenerate", directions.degenerate},
          {"smallest", or_null(directions.smallest)},
          {"along", rows_json(directions.along)}};
}

static void from_json(const Json& json, DirectionsSummary& directions) {
  json.at("from").get_to(directions.from);
  json.at("coordinates").get_to(directions.coordinates);
  json.at("left_out").get_to(directions.left_out);
  json.at("degenerate").get_to(directions.degenerate);
  get_if_there(json, "smallest", directions.smallest);
  directions.along = rows_in(json.at("along"));
}

static void to_json(Json& json, const ReferenceSummary& reference) {
  json = {{"from", reference.from},
          {"draws", reference.draws},
          {"coordinates", reference.coordinates},
          {"left_out", reference.left_out},
          {"rem", figure_json(reference.rem)},
          {"rec", figure_json(reference.rec)}};
  if (!reference.amari.empty()) json["amari"] = object_of(reference.amari);
}

static void from_json(const Json& json, ReferenceSummary& reference) {
  json.at("from").get_to(reference.from);
  json.at("draws").get_to(reference.draws);
  json.at("coordinates").get_to(reference.coordinates);
  json.at("left_out").get_to(reference.left_out);
  reference.rem = number_in(json, "rem");
  reference.rec = number_in(json, "rec");
  if (json.contains("amari")) reference.amari = figures_in(json.at("amari"));
}

static void to_json(Json& json, const LeftOutRows& rows) {
  json = {{"rows", rows.rows}, {"of", rows.of}};
}

static void from_json(const Json& json, LeftOutRows& rows) {
  json.at("rows").get_to(rows.rows);
  json.at("of").get_to(rows.of);
}

namespace {

Json estimators_json(const std::vector<EstimatorNote>& notes) {
  Json all = Json::object();
  for (const EstimatorNote& note : notes) {
    Json json = {{"name", note.name}, {"version", note.version}};
    if (!note.agrees_with.empty()) json["agrees_with"] = note.agrees_with;
    json["source"] = note.source;
    all[note.key] = std::move(json);
  }
  return all;
}

std::vector<EstimatorNote> estimators_in(const Json& all) {
  std::vector<EstimatorNote> notes;
  for (const auto& [key, json] : all.items()) {
    notes.push_back({.key = key,
                     .name = json.at("name").get<std::string>(),
                     .version = json.at("version").get<std::string>(),
                     .agrees_with = json.value("agrees_with", std::string()),
                     .source = json.at("source").get<std::string>()});
  }
  return notes;
}

}  // namespace

static void to_json(Json& json, const PredictionSummary& prediction) {
  json = {
      {"cases", prediction.cases}, {"measure", prediction.measure}, {"error", prediction.error}};
  if (prediction.is_error_rate()) json["error_rate"] = prediction.error;
}

static void from_json(const Json& json, PredictionSummary& prediction) {
  json.at("cases").get_to(prediction.cases);
  // Earlier versions wrote only error_rate.
  prediction.measure = json.value("measure", PredictionSummary::error_rate);
  prediction.error = number_in(json, json.contains("error") ? "error" : "error_rate");
}

void to_json(Json& json, const Summary& summary) {
  json = Json::object();
  json["variables"] = rows_json(summary.variables);
  if (summary.left_out) json["left_out"] = *summary.left_out;
  json["sampler"] = summary.sampler;
  json["not_judged"] = summary.not_judged;
  json["weighted"] = summary.weighted;
  json["joint"] = summary.coupled ? "coupled" : "product";
  if (!summary.certificate.empty()) json["certificate"] = summary.certificate;
  if (summary.directions) json["directions"] = *summary.directions;
  if (summary.reference) json["reference"] = *summary.reference;
  json["estimators"] = estimators_json(summary.estimators);
  if (summary.prediction) json["prediction"] = *summary.prediction;
}

void from_json(const Json& json, Summary& summary) {
  summary.variables = rows_in(json.at("variables"));
  get_if_there(json, "left_out", summary.left_out);
  json.at("sampler").get_to(summary.sampler);
  if (json.contains("not_judged")) json.at("not_judged").get_to(summary.not_judged);
  json.at("weighted").get_to(summary.weighted);
  summary.coupled = json.at("joint") == "coupled";
  summary.certificate = json.value("certificate", std::string());
  get_if_there(json, "directions", summary.directions);
  get_if_there(json, "reference", summary.reference);
  summary.estimators = estimators_in(json.at("estimators"));
  get_if_there(json, "prediction", summary.prediction);
}

std::string summary_json(const Summary& summary) { return json_text(summary, 2) + "\n"; }

Summary read_summary(const std::string& folder) {
  return read_json_as<Summary>(folder + "/summary.json", "summary",
                               "give the folder of a finished run");
}

}  // namespace mixwell
