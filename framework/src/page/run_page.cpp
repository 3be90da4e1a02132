// The contents of the report page of a run.
// SPDX-License-Identifier: Apache-2.0
#include "files/json.hpp"
#include "files/reading.hpp"
#include "page/figures.hpp"
#include "page/rounding.hpp"
#include "results/summary_json.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/lab/page.hpp>
#include <mixwell/version.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <unordered_map>

namespace mixwell {
namespace {

namespace fs = std::filesystem;
using page::Json;

constexpr std::size_t most_variables = 24;
constexpr std::size_t most_growth = 4;
constexpr std::size_t most_rows = 20000;
constexpr std::size_t most_divergences = 100;
constexpr int table_digits = 6;

constexpr const char* cure =
    "give the folder of a finished run, with all its files (`mixwell run` writes out/NAME)";

std::string read_text(const fs::path& path) { return read_text_file(path.string(), "file", cure); }

Json read_json_file(const fs::path& path) { return read_json(path.string(), "file", cure); }

void check_is_run(const fs::path& folder) {
  if (!fs::is_directory(folder))
    throw InputError({folder.string(), 0, 0},
                     "this is not a folder. Give the folder of a run, for example out/challenger.");
  if (!fs::exists(folder / "run.json"))
    throw InputError(
        {folder.string(), 0, 0},
        "this folder contains no run, because run.json is missing. Give the folder of a run, "
        "for example out/challenger.");
  if (!fs::exists(folder / "summary.json"))
    throw InputError(
        {folder.string(), 0, 0},
        fmt::format("the run in this folder was interrupted before its summary was complete. "
                    "Create the summary with `mixwell summary {0} --json > {0}/summary.json`.",
                    folder.string()));
}

/// The rows of `variables` with these names. Uses a map, because a look-up in an ordered JSON
/// object is a linear search.
std::vector<const Json*> rows_of(const Json& variables, const std::vector<std::string>& names) {
  std::unordered_map<std::string, const Json*> rows;
  for (const auto& [name, row] : variables.items()) rows.emplace(name, &row);
  std::vector<const Json*> chosen;
  for (const std::string& name : names) chosen.push_back(rows.at(name));
  return chosen;
}

bool is_beside_figures(const std::string& key) {
  return std::find(keys_beside_figures.begin(), keys_beside_figures.end(), key) !=
         keys_beside_figures.end();
}

/// The values of one column. Rounds numbers and keeps "inf" and null. Null for a row without the
/// key.
Json column_of(const std::vector<const Json*>& rows, const std::string& key) {
  Json column = Json::array();
  for (const Json* const row : rows) {
    const Json value = row->value(key, Json());
    column.push_back(value.is_number() ? page::to_digits(value.get<double>(), table_digits)
                                       : value);
  }
  return column;
}

/// The columns of summary.json for the rows with these names.
Json table_of(const std::vector<const Json*>& rows, const std::vector<std::string>& names) {
  Json shown = Json::array();
  for (std::size_t k = 0; k < names.size(); ++k) shown.push_back(rows[k]->value("label", names[k]));
  Json table = {{"variable", std::move(shown)}};
  if (rows.empty()) return table;
  for (const auto& [key, first] : rows.front()->items())
    if (!is_beside_figures(key)) table[key] = column_of(rows, key);
  for (const char* const key : {"nan_draws", "infinite_draws"})
    if (std::any_of(rows.begin(), rows.end(), [&](const Json* row) { return row->contains(key); }))
      table[key] = column_of(rows, key);
  return table;
}

/// Indices of rows of constants. Constants need no diagnostics.
Json constants_of(const std::vector<const Json*>& rows) {
  Json constants = Json::array();
  for (std::size_t k = 0; k < rows.size(); ++k)
    if (rows[k]->contains("constant")) constants.push_back(k);
  return constants;
}

/// The name of the last folder on the path.
std::string name_of(const fs::path& folder) {
  const fs::path path = fs::absolute(folder).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

std::vector<std::string> all_names(const Json& variables) {
  std::vector<std::string> names;
  for (const auto& [name, row] : variables.items()) names.push_back(name);
  return names;
}

Json without_positions(Json run) {
  if (!run.contains("divergences")) return run;
  for (Json& one : run["divergences"]["first"]) one.erase("position");
  if (run["divergences"]["first"].size() > most_divergences)
    run["divergences"]["first"].get_ref<Json::array_t&>().resize(most_divergences);
  return run;
}

std::vector<std::string> notes(const DrawsFile& draws, const page::FigureSettings& settings,
                               std::size_t variables, std::size_t shown) {
  std::vector<std::string> texts;
  if (shown < variables)
    texts.push_back(fmt::format(
        "The figures show only {} of {} variables: those with the smallest effective sample "
        "sizes or the largest R-hats.",
        shown, variables));
  if (const Index chains = static_cast<Index>(settings.chains.size()); chains < draws.chains())
    texts.push_back(fmt::format(
        "The figures show {} of {} chains, with evenly spaced indices. Figures that combine "
        "chains use every chain.",
        chains, draws.chains()));
  if (settings.every > 1)
    texts.push_back(fmt::format("The traces show one in every {} draws.", settings.every));
  return texts;
}

/// Adds the figures, and notes about draws that the figures omit.
void add_figures(Json& data, const std::string& folder, const Json& variables) {
  const DrawsFile draws(folder);
  const page::FigureSettings settings = page::figure_settings(draws);
  const std::vector<std::string> worst = page::worst_first(variables, most_variables);
  data["chains"] = {{"count", draws.chains()},
                    {"draws", draws.draws()},
                    {"shown", settings.chains},
                    {"every", settings.every}};
  data["notes"] = notes(draws, settings, variables.size(), worst.size());
  if (draws.draws() == 0) return;
  const std::vector<page::Element> shown = page::find_elements(draws, worst, folder);
  const std::vector<page::Element> first(
      shown.begin(), shown.begin() + std::min<std::ptrdiff_t>(std::ssize(shown), most_growth));
  data["variables"] = page::variable_figures(draws, shown, settings);
  data["pairs"] = page::pair_figure(draws, shown);
  data["growth"] = page::growth_figure(draws, first);
  data["energy"] = page::energy_figure(draws, settings);
  data["statistics"] = page::chain_table(draws, settings);
}

Json data_of(const fs::path& folder, const std::vector<std::string>& warnings) {
  Json summary = read_json_file(folder / "summary.json");
  const Json variables = summary.at("variables");
  summary.erase("variables");
  const bool whole = variables.size() <= most_rows;
  const std::vector<std::string> names =
      whole ? all_names(variables) : page::worst_first(variables, most_rows);
  const std::vector<const Json*> rows = rows_of(variables, names);
  Json data = {{"kind", "run"},
               {"mixwell", MIXWELL_VERSION},
               {"name", name_of(folder)},
               {"folder", folder.string()},
               {"warnings", warnings},
               {"certificate", read_json_file(folder / "certificate.json")},
               {"run", without_positions(read_json_file(folder / "run.json"))},
               {"manifest", read_text(folder / "manifest.toml")},
               {"graph", read_text(folder / "graph.dot")},
               {"summary", std::move(summary)},
               {"table", table_of(rows, names)},
               {"constants", constants_of(rows)}};
  add_figures(data, folder.string(), variables);
  if (data["summary"].contains("left_out"))
    data["notes"].push_back(
        fmt::format("The report and summary.json omit {1} of {0} variables. They never omit the "
                    "variables with the smallest effective sample sizes or the largest R-hats. "
                    "summary.nc contains all variables.",
                    data["summary"]["left_out"].at("of").get<std::size_t>(),
                    data["summary"]["left_out"].at("rows").get<std::size_t>()));
  if (!whole)
    data["notes"].push_back(fmt::format(
        "The table shows only {} of {} variables: those with the smallest effective sample "
        "sizes or the largest R-hats.",
        most_rows, variables.size()));
  return data;
}

}  // namespace

std::string run_page_json(const std::string& folder, const std::vector<std::string>& warnings) {
  check_is_run(folder);
  try {
    return json_text(data_of(folder, warnings));
  } catch (const Json::exception& fault) {
    throw InputError(
        {folder, 0, 0},
        fmt::format("another program wrote or changed a JSON file in this folder: {}. Run the "
                    "manifest again.",
                    fault.what()));
  }
}

}  // namespace mixwell
