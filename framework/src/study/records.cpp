// What a study keeps in files of its own, and the rows of the ledger that say the same.
// SPDX-License-Identifier: Apache-2.0
#include "study/records.hpp"

#include "files/input_descriptor.hpp"
#include "files/json.hpp"
#include "files/sha256.hpp"
#include "study/status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

namespace mixwell::study {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::string_view opening = "{\"format\":1,\"sha256\":\"";
constexpr std::size_t hash_bytes = 64;

struct Part {
  const char* table;
  const char* key;    ///< its column; null = all rows
  const char* order;  ///< columns that tell rows apart
};

std::vector<Part> parts_of(RecordKind kind) {
  switch (kind) {
    case RecordKind::study:
      return {{"study", nullptr, "key"}};
    case RecordKind::places:
      return {{"points", nullptr, "place"}, {"history", nullptr, "label, number"}};
    case RecordKind::tuning:
      return {{"tune", "tuning", "rung, candidate"}};
    case RecordKind::cell:
      return {{"cells", "cell", "cell"}, {"metrics", "cell", "name"}, {"compared", "cell", "cell"}};
  }
  return {};
}

/// Of the table `seals`.
std::string kind_name(RecordKind kind) {
  constexpr std::array names = {"study", "places", "tuning", "cell"};
  return names.at(static_cast<std::size_t>(kind));
}

/// Of a number that JSON has none for: {"real": "inf"}.
constexpr const char* real = "real";

Json value_of(const Statement& row, int column) {
  switch (row.type(column)) {
    case Statement::Type::null:
      return nullptr;
    case Statement::Type::integer:
      return row.integer(column);
    case Statement::Type::real:
      return std::isfinite(row.number(column))
                 ? Json(row.number(column))
                 : Json::object({{real, figure_json(row.number(column))}});
    case Statement::Type::text:
      return row.text(column);
  }
  return nullptr;
}

void bind(Statement& statement, int place, const Json& value) {
  if (value.is_null())
    statement.bind_null(place);
  else if (value.is_number_integer())
    statement.bind(place, value.get<std::int64_t>());
  else if (value.is_number())
    statement.bind(place, value.get<double>());
  else if (value.is_object())
    statement.bind(place, figure_in(value.at(real)));
  else
    statement.bind(place, value.get<std::string>());
}

Json row_of(const Statement& statement) {
  Json row = Json::object();
  for (int k = 0; k < statement.columns(); ++k) row[statement.name(k)] = value_of(statement, k);
  return row;
}

/// As SQL names a column, whatever is in the name.
std::string sql_name(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + '"';
}

std::string insertion(const std::string& table, const Json& row) {
  std::vector<std::string> names;
  for (const auto& [name, value] : row.items()) names.push_back(sql_name(name));
  return fmt::format("INSERT INTO {} ({}) VALUES ({})", table, fmt::join(names, ", "),
                     fmt::join(std::vector<char>(names.size(), '?'), ", "));
}

/// Nothing where there is no record or it is not as it was written.
std::optional<Json> read_record(const std::string& file) {
  if (!why_no_file(file).empty()) return {};
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!text.starts_with(opening)) return {};
  const Json found = parse_json_or_discard(text);
  if (!found.is_object() || !found.contains("rows")) return {};
  if (found.value("sha256", Json()) != Json(sha256(json_text(found.at("rows"))))) return {};
  return found.at("rows");
}

/// The seal is right, so somebody has made it so.
InputError not_of_a_study(const std::string& file) {
  return InputError(file +
                    ": this is no record that a study has written; remove it: what it speaks of "
                    "then counts as not done");
}

}  // namespace

Statement& Records::statement(const std::string& sql) {
  const auto found = statements_.find(sql);
  if (found != statements_.end()) return found->second;
  return statements_.emplace(sql, database_.prepare(sql)).first->second;
}

/// {"TABLE": [ROW, ...], ...}, a row at a time: the places of a large study have many.
std::string Records::text_of(RecordKind kind, const std::string& key) {
  std::string text;
  for (const Part& part : parts_of(kind)) {
    const std::string where = part.key == nullptr ? "" : fmt::format(" WHERE {} = ?1", part.key);
    Statement& all =
        statement(fmt::format("SELECT * FROM {}{} ORDER BY {}", part.table, where, part.order));
    if (part.key != nullptr) all.bind(1, key);
    text += fmt::format("{}\"{}\":[", text.empty() ? "{" : "],", part.table);
    for (bool first = true; all.step(); first = false) {
      if (!first) text += ',';
      text += json_text(row_of(all));
    }
  }
  return text + "]}";
}

void Records::restore(RecordKind kind, const std::string& key, const std::string& file) {
  const std::optional<Json> rows = read_record(file);
  if (!rows) return;
  try {
    replace(kind, key, *rows);
  } catch (const Json::exception&) {
    throw not_of_a_study(file);
  } catch (const DatabaseError& fault) {
    if (!fault.is_damage()) throw;
    throw not_of_a_study(file);
  }
}

void Records::replace(RecordKind kind, const std::string& key, const Json& rows) {
  for (const Part& part : parts_of(kind)) {
    const std::string where = part.key == nullptr ? "" : fmt::format(" WHERE {} = ?1", part.key);
    Statement& old = statement(fmt::format("DELETE FROM {}{}", part.table, where));
    if (part.key != nullptr) old.bind(1, key);
    old.run();
    for (const Json& row : rows.at(part.table)) {
      Statement& add = statement(insertion(part.table, row));
      int place = 0;
      for (const auto& [name, value] : row.items()) bind(add, ++place, value);
      add.run();
    }
  }
  seal(kind, key);
}

std::string Records::seal(RecordKind kind, const std::string& key) {
  const std::string rows = text_of(kind, key);
  const std::string hash = sha256(rows);
  statement("INSERT OR REPLACE INTO seals (kind, key, sha256) VALUES (?1, ?2, ?3)")
      .bind(1, kind_name(kind))
      .bind(2, key)
      .bind(3, hash)
      .run();
  return fmt::format("{}{}\",\"rows\":{}}}\n", opening, hash, rows);
}

std::map<std::string, std::string> Records::seals(RecordKind kind) {
  std::map<std::string, std::string> found;
  Statement& all = statement("SELECT key, sha256 FROM seals WHERE kind = ?1");
  all.bind(1, kind_name(kind));
  while (all.step()) found[all.text(0)] = all.text(1);
  return found;
}

/// "" where a text in them is none, which no study has written.
std::string Records::hash_of_rows(RecordKind kind, const std::string& key) {
  try {
    return sha256(text_of(kind, key));
  } catch (const Json::type_error&) {
    return {};
  }
}

bool Records::hold() {
  for (const RecordKind kind : all_record_kinds) {
    for (const auto& [key, hash] : seals(kind)) {
      if (hash_of_rows(kind, key) != hash) return false;
    }
  }
  Statement& unsealed = statement(
      "SELECT (SELECT count(*) FROM cells) - (SELECT count(*) FROM seals WHERE kind = 'cell')");
  unsealed.step();
  const bool all_sealed = unsealed.integer(0) == 0;
  while (unsealed.step()) {
  }
  return all_sealed;
}

std::string record_file(const std::string& folder, RecordKind kind, const std::string& key) {
  switch (kind) {
    case RecordKind::study:
      return folder + "/study.json";
    case RecordKind::places:
      return folder + "/places.json";
    case RecordKind::tuning:
      return folder + "/tune/" + key + ".json";
    case RecordKind::cell:
      break;
  }
  return folder + "/cells/" + key + "/cell.json";
}

std::string recorded_hash(const std::string& file) {
  if (!why_no_file(file).empty()) return {};
  std::ifstream in(file, std::ios::binary);
  std::array<char, opening.size() + hash_bytes> start{};
  if (!in.read(start.data(), start.size())) return {};
  const std::string_view text(start.data(), start.size());
  return text.starts_with(opening) ? std::string(text.substr(opening.size())) : "";
}

std::optional<CellStatus> recorded_end(const std::string& folder, const std::string& cell) {
  const std::string file = record_file(folder, RecordKind::cell, cell);
  const std::optional<Json> rows = read_record(file);
  if (!rows) return std::nullopt;
  try {
    const CellStatus status =
        cell_status_from(rows->at("cells").at(0).at("status").get<std::string>());
    const bool has_ended = status == CellStatus::done || status == CellStatus::failed;
    return has_ended ? std::optional(status) : std::nullopt;
  } catch (const Json::exception&) {
    throw not_of_a_study(file);
  }
}

std::vector<std::string> recorded_keys(const std::string& folder, RecordKind kind) {
  const bool is_cell = kind == RecordKind::cell;
  if (!is_cell && kind != RecordKind::tuning) return {""};
  std::vector<std::string> keys;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder + (is_cell ? "/cells" : "/tune"), none)) {
    const fs::path& path = entry.path();
    if (is_cell ? fs::exists(path / "cell.json") : path.extension() == ".json")
      keys.push_back(path.stem().string());
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

}  // namespace mixwell::study
