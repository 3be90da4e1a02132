// A study's records: files with rows and a hash. Only the records define the study's state.
// SPDX-License-Identifier: Apache-2.0
#include "study/records.hpp"

#include "files/sha256.hpp"
#include "files/whole_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace mixwell::study {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view opening = "{\"format\":1,\"sha256\":\"";
constexpr std::size_t hash_bytes = 64;
constexpr std::string_view before_rows = "\",\"rows\":";
constexpr std::string_view ending = "}\n";
constexpr std::size_t first_bytes = opening.size() + hash_bytes + before_rows.size();

/// Columns of a cell that hold long texts.
constexpr std::array long_columns = {"versions", "ingredients", "manifest", "summary", "run"};

/// Reads up to `most` bytes of a file. Nothing if there is no readable file.
std::optional<std::string> bytes_of(const std::string& file, std::size_t most = std::string::npos) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return std::nullopt;
  struct stat state = {};
  const bool is_file = ::fstat(descriptor, &state) == 0 && S_ISREG(state.st_mode);
  std::string text(is_file ? std::min(static_cast<std::size_t>(state.st_size), most) : 0, '\0');
  std::size_t have = 0;
  for (ssize_t n = 1; have < text.size() && n > 0;
       have += static_cast<std::size_t>(std::max<ssize_t>(n, 0)))
    n = ::read(descriptor, text.data() + have, text.size() - have);
  ::close(descriptor);
  text.resize(have);
  return is_file ? std::optional(std::move(text)) : std::nullopt;
}

std::string_view hash_in(std::string_view text) { return text.substr(opening.size(), hash_bytes); }

/// The index of the closing quote of the string that begins at `from`.
std::size_t end_of_text(std::string_view json, std::size_t from) {
  for (std::size_t at = json.find('"', from);; at = json.find('"', at + 1)) {
    if (at == std::string_view::npos) return json.size();
    std::size_t escapes = at;
    while (escapes > from && json[escapes - 1] == '\\') --escapes;
    if ((at - escapes) % 2 == 0) return at;
  }
}

/// The index of the closing bracket of the list that begins at `from`.
std::size_t end_of_list(std::string_view json, std::size_t from) {
  int open = 1;
  for (std::size_t at = from; at < json.size(); ++at) {
    if (json[at] == '"')
      at = end_of_text(json, at + 1);
    else if (json[at] == '[')
      ++open;
    else if (json[at] == ']' && --open == 0)
      return at;
  }
  return json.size();
}

bool is_long(std::string_view column) {
  return std::find(long_columns.begin(), long_columns.end(), column) != long_columns.end();
}

/// The rows with "" in place of each long text and [] in place of the history of places.
std::string shortened_rows(std::string_view rows) {
  std::string kept;
  for (std::size_t from = rows.find('"'); from != std::string_view::npos; from = rows.find('"')) {
    const std::size_t end = end_of_text(rows, from + 1);
    std::size_t next = std::min(end + 1, rows.size());
    const std::string_view name = rows.substr(from + 1, end - from - 1);
    const std::string_view behind = rows.substr(next);
    kept += rows.substr(0, next);
    if (is_long(name) && behind.starts_with(":\"")) {
      kept += ":\"\"";
      next = std::min(end_of_text(rows, next + 2) + 1, rows.size());
    } else if (name == "history" && behind.starts_with(":[")) {
      kept += ":[";
      next = end_of_list(rows, next + 2);
    }
    rows.remove_prefix(next);
  }
  return kept += rows;
}

/// Throws nlohmann's exceptions.
CellRecord cell_in(const Json& rows, const std::string& cell) {
  CellRecord record;
  const std::size_t count = rows.at("cells").size();
  const auto check = [&](const std::string& named) {
    if (named != cell || count > 1)
      throw Json::other_error::create(501, "a row belongs to another cell", &rows);
  };
  for (CellRow& row : rows_in<CellRow>(rows, "cells")) record.row = std::move(row);
  for (MetricRow& row : rows_in<MetricRow>(rows, "metrics")) {
    check(row.cell);
    record.metrics.push_back(std::move(row));
  }
  for (ComparedRow& row : rows_in<ComparedRow>(rows, "compared")) {
    check(row.cell);
    record.reference = std::move(row.reference);
  }
  if (count > 0) check(record.row.cell);
  return record;
}

}  // namespace

const char* kind_name(RecordKind kind) {
  constexpr std::array names = {"study", "places", "tuning", "cell", "pending", "plans"};
  return names.at(static_cast<std::size_t>(kind));
}

std::string record_file(const std::string& folder, RecordKind kind, const std::string& key) {
  if (kind == RecordKind::tuning) return folder + "/tune/" + key + ".json";
  if (kind == RecordKind::cell) return folder + "/cells/" + key + "/cell.json";
  return folder + "/" + kind_name(kind) + ".json";
}

std::vector<std::string> recorded_keys(const std::string& folder, RecordKind kind) {
  const bool is_cell = kind == RecordKind::cell;
  if (!is_cell && kind != RecordKind::tuning) return {""};
  std::vector<std::string> keys;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder + (is_cell ? "/cells" : "/tune"), none)) {
    const fs::path& path = entry.path();
    if (is_cell || path.extension() == ".json") keys.push_back(path.stem().string());
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

bool has_records(const std::string& folder) {
  for (const RecordKind kind : {RecordKind::study, RecordKind::places})
    if (fs::exists(record_file(folder, kind))) return true;
  const auto cells = recorded_keys(folder, RecordKind::cell);
  return std::any_of(cells.begin(), cells.end(), [&](const std::string& cell) {
    return fs::exists(record_file(folder, RecordKind::cell, cell));
  });
}

void check_is_study(const std::string& folder) {
  if (has_records(folder)) return;
  throw InputError(
      fmt::format("{}: this folder contains no study, because it has no study.json and no "
                  "cells/ID/cell.json. Run `mixwell study STUDY.toml` to create a study.",
                  folder));
}

void tell_damaged(const std::vector<std::string>& files, const Remark& remark) {
  if (files.empty()) return;
  const bool is_one = files.size() == 1;
  remark(fmt::format(
      "{} {} damaged ({}{}), so {} contents are unknown. `mixwell study STUDY.toml` recreates {}.",
      files.size(), is_one ? "record is" : "records are", files.front(), is_one ? "" : ", ...",
      is_one ? "its" : "their", is_one ? "it" : "them"));
}

Json parse_rows(const std::string& rows, LongTexts texts) {
  return parse_json(texts == LongTexts::kept ? rows : shortened_rows(rows));
}

RecordFile read_record(const std::string& file) {
  const std::optional<std::string> text = bytes_of(file);
  if (!text) return {};
  RecordFile record{true, "", ""};
  const std::string_view behind_hash =
      std::string_view(*text).substr(std::min(opening.size() + hash_bytes, text->size()));
  if (!text->starts_with(opening) || !behind_hash.starts_with(before_rows) ||
      !behind_hash.ends_with(ending) || text->size() < first_bytes + ending.size())
    return record;
  record.sha256 = hash_in(*text);
  record.rows = text->substr(first_bytes, text->size() - first_bytes - ending.size());
  record.is_damaged = sha256(record.rows) != record.sha256;
  if (record.is_damaged) record.rows.clear();
  return record;
}

std::string recorded_hash(const std::string& file) {
  const std::string text = bytes_of(file, first_bytes).value_or("");
  return text.size() == first_bytes && text.starts_with(opening) ? std::string(hash_in(text)) : "";
}

void write_record(const std::string& file, const Json& rows) {
  std::error_code error;
  fs::create_directories(fs::path(file).parent_path(), error);
  if (error) throw WriteError(file, error.value());
  const std::string text = json_text(rows);
  write_shared_file(file,
                    fmt::format("{}{}{}{}{}", opening, sha256(text), before_rows, text, ending),
                    Flush::later);
}

void refuse_record(const std::string& file, const std::string& why) {
  throw InputError(fmt::format(
      "{}: this record was not written by Mixwell ({}). Remove the file. Mixwell then treats "
      "the cell or tuning of this record as unfinished.",
      file, why));
}

Json json_of(const CellRecord& record) {
  std::vector<MetricRow> metrics;
  for (const CellMetric& metric : record.metrics) metrics.push_back({metric, record.row.cell});
  std::sort(metrics.begin(), metrics.end(),
            [](const MetricRow& a, const MetricRow& b) { return a.name < b.name; });
  std::vector<ComparedRow> compared;
  if (!record.reference.empty()) compared.push_back({record.row.cell, record.reference});
  return {{"cells", json_of_rows(std::vector{record.row})},
          {"metrics", json_of_rows(metrics)},
          {"compared", json_of_rows(compared)}};
}

std::optional<CellRecord> read_cell(const std::string& folder, const std::string& cell,
                                    LongTexts texts, bool* is_damaged) {
  auto record = use_record(
      record_file(folder, RecordKind::cell, cell),
      [&](const Json& rows) { return cell_in(rows, cell); }, texts, is_damaged);
  return record && record->row.cell.empty() ? std::nullopt : record;
}

std::map<std::string, CellRow> read_pending(const std::string& folder, LongTexts texts) {
  const auto by_cell = [](const Json& rows) {
    std::map<std::string, CellRow> found;
    for (CellRow& row : rows_in<CellRow>(rows, "cells")) found[row.cell] = std::move(row);
    return found;
  };
  const auto found = use_record(record_file(folder, RecordKind::pending), by_cell, texts);
  return found.value_or(std::map<std::string, CellRow>());
}

std::optional<CellStatus> recorded_end(const std::string& folder, const std::string& cell) {
  const auto record = read_cell(folder, cell, LongTexts::skipped);
  if (!record) return std::nullopt;
  return has_ended(record->row.status) ? std::optional(record->row.status) : std::nullopt;
}

}  // namespace mixwell::study
