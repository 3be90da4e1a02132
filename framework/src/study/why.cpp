// Why a cell is what it is: its ingredients beside those of the cell before it.
// SPDX-License-Identifier: Apache-2.0
#include "study/why.hpp"

#include "files/json.hpp"
#include "study/content_hash.hpp"
#include "study/outline.hpp"
#include "study/shares.hpp"

#include <mixwell/lab/study.hpp>

#include <fmt/format.h>

#include <iterator>
#include <set>
#include <sstream>

namespace mixwell {
namespace study {
namespace {

struct Found {
  std::string label;
  std::string cell;
};

Found find(const Outline& outline, const std::string& text) {
  for (const StudyPlace& place : outline.places)
    if (place.label == text || place.cell.starts_with(text)) return {place.label, place.cell};
  throw InputError(fmt::format(
      "--why {}: no cell of this study has an id that begins so, or this label (`--table` lists "
      "them)",
      text));
}

struct StoredCell {
  CellRow row;
  Json ingredients;
};

StoredCell stored(const std::string& folder, const std::string& cell, const Remark& remark) {
  StoredCell found;
  bool is_damaged = false;
  if (auto record = read_cell(folder, cell, LongTexts::kept, &is_damaged))
    found.row = std::move(record->row);
  if (is_damaged) tell_damaged({record_file(folder, RecordKind::cell, cell)}, remark);
  auto pending = read_pending(folder, LongTexts::kept);
  if (found.row.cell.empty() && pending.contains(cell)) found.row = std::move(pending[cell]);
  found.row.cell = cell;
  CellsAtWork(folder).show(found.row);
  const std::string& ingredients = found.row.ingredients;
  found.ingredients = parse_json(ingredients.empty() ? "{}" : ingredients);
  return found;
}

std::set<std::string> lines_of(const std::string& manifest) {
  std::set<std::string> lines;
  if (manifest.empty()) return lines;
  std::istringstream in(normalised(manifest));
  for (std::string line; std::getline(in, line);) lines.insert(line);
  return lines;
}

std::string short_hash(const Json& hash) {
  const std::string text = hash.is_string() ? hash.get<std::string>() : "none";
  return text.find(' ') == std::string::npos ? text.substr(0, 12) : text;
}

std::string difference(const Json& before, const Json& now, const char* part, const char* what) {
  std::string text;
  std::set<std::string> names;
  for (const Json* const side : {&before, &now}) {
    if (!side->contains(part)) continue;
    for (const auto& [name, hash] : side->at(part).items()) names.insert(name);
  }
  const auto hash = [&](const Json& side, const std::string& name) {
    return side.contains(part) ? side.at(part).value(name, Json()) : Json();
  };
  for (const std::string& name : names) {
    const Json a = hash(before, name), b = hash(now, name);
    if (a == b) continue;
    text += fmt::format("  {} {} changed: {} -> {}\n", what, name, short_hash(a), short_hash(b));
  }
  return text;
}

std::string part_differences(const Json& before, const Json& now) {
  std::string text = difference(before, now, "plugins", "plugin library") +
                     difference(before, now, "files", "data file");
  const Json a = before.value("mixwell", Json());
  const Json b = now.value("mixwell", Json());
  if (a != b) text += fmt::format("  libmixwell changed: {} -> {}\n", short_hash(a), short_hash(b));
  return text;
}

std::string differences(const StoredCell& before, const StoredCell& now) {
  std::string text;
  const std::set<std::string> old_lines = lines_of(before.row.manifest);
  const std::set<std::string> new_lines = lines_of(now.row.manifest);
  for (const std::string& line : old_lines) {
    if (!new_lines.contains(line)) text += "  manifest: - " + line + "\n";
  }
  for (const std::string& line : new_lines) {
    if (!old_lines.contains(line)) text += "  manifest: + " + line + "\n";
  }
  text += part_differences(before.ingredients, now.ingredients);
  return text.empty() ? "  nothing that is known of it\n" : text;
}

std::string state_text(const StudyRow& row) {
  std::string text(to_string(row.status));
  if (row.outcome) text += fmt::format(", ended by {}", to_string(*row.outcome));
  if (!row.ended_at.empty()) text += " at " + row.ended_at;
  if (row.attempts > 1) text += fmt::format(", begun {} times", row.attempts);
  if (!row.reason.empty()) text += ": " + row.reason;
  return text;
}

std::string why(const std::string& folder, const std::string& cell, const Remark& remark) {
  const Outline outline = read_outline(folder);
  tell_damaged(outline.damaged, remark);
  const Found found = find(outline, cell);
  const StoredCell now = stored(folder, found.cell, remark);
  std::string text =
      fmt::format("cell {} stands at {}\n{}\n", found.cell, found.label, state_text(now.row));
  const auto past = outline.history.find(found.label);
  if (past == outline.history.end() || past->second.size() < 2)
    return text + "It is the first cell that stands there: nothing was run anew.\n";
  const std::string& before = std::prev(past->second.end(), 2)->cell;
  text += fmt::format("Since {} it stands in the place of cell {}, because\n",
                      past->second.back().since, before);
  return text + differences(stored(folder, before, remark), now);
}

}  // namespace

std::string ingredient_differences(const std::string& before, const std::string& now) {
  const Json a = parse_json(before), b = parse_json(now);
  const bool other_manifest = a.value("manifest", Json()) != b.value("manifest", Json());
  return part_differences(a, b) + (other_manifest ? "  the manifest is another\n" : "");
}

}  // namespace study

std::string study_why(const std::string& study_folder, const std::string& cell,
                      const std::function<void(const std::string&)>& remark) {
  return study::read_study(study_folder, [&] { return study::why(study_folder, cell, remark); });
}

}  // namespace mixwell
