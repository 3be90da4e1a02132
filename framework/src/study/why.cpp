// Why a cell is what it is: its ingredients beside those of the cell before it.
// SPDX-License-Identifier: Apache-2.0
#include "study/why.hpp"

#include "files/json.hpp"
#include "study/content_hash.hpp"
#include "study/ledger_file.hpp"

#include <mixwell/lab/study.hpp>

#include <fmt/format.h>

#include <set>
#include <sstream>

namespace mixwell {
namespace study {
namespace {

using Json = nlohmann::ordered_json;

struct Found {
  std::string label;
  std::string cell;
};

Found find(Ledger& ledger, const std::string& text) {
  Statement all = ledger.database().prepare(
      "SELECT label, cell FROM points WHERE label = ?1 OR substr(cell, 1, length(?1)) = ?1 "
      "ORDER BY place");
  all.bind(1, text);
  std::vector<Found> found;
  while (all.step()) found.push_back({all.text(0), all.text(1)});
  if (found.empty()) {
    throw InputError(fmt::format(
        "--why {}: no cell of this study has an id that begins so, or this label (`--table` lists "
        "them)",
        text));
  }
  return found.front();
}

std::vector<std::pair<std::string, std::string>> history(Ledger& ledger, const std::string& label) {
  Statement all =
      ledger.database().prepare("SELECT cell, since FROM history WHERE label = ?1 ORDER BY number");
  all.bind(1, label);
  std::vector<std::pair<std::string, std::string>> found;
  while (all.step()) found.emplace_back(all.text(0), all.text(1));
  return found;
}

struct StoredCell {
  std::string status, reason, outcome, ended_at, manifest;
  std::int64_t attempts = 0;
  Json ingredients;
};

StoredCell row_of(Ledger& ledger, const std::string& cell) {
  Statement one = ledger.database().prepare(
      "SELECT status, reason, outcome, ended_at, manifest, attempts, ingredients FROM cells "
      "WHERE cell = ?1");
  one.bind(1, cell);
  one.step();
  StoredCell row{one.text(0), one.text(1),    one.text(2), one.text(3),
                 one.text(4), one.integer(5), {}};
  row.ingredients = parse_json(one.text(6).empty() ? "{}" : one.text(6));
  return row;
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
  const std::set<std::string> old_lines = lines_of(before.manifest);
  const std::set<std::string> new_lines = lines_of(now.manifest);
  for (const std::string& line : old_lines) {
    if (!new_lines.contains(line)) text += "  manifest: - " + line + "\n";
  }
  for (const std::string& line : new_lines) {
    if (!old_lines.contains(line)) text += "  manifest: + " + line + "\n";
  }
  text += part_differences(before.ingredients, now.ingredients);
  return text.empty() ? "  nothing that is known of it\n" : text;
}

std::string state_text(const StoredCell& row) {
  std::string text = row.status;
  if (!row.outcome.empty()) text += ", ended by " + row.outcome;
  if (!row.ended_at.empty()) text += " at " + row.ended_at;
  if (row.attempts > 1) text += fmt::format(", begun {} times", row.attempts);
  if (!row.reason.empty()) text += ": " + row.reason;
  return text;
}

std::string why(Ledger& ledger, const std::string& cell) {
  const Found found = find(ledger, cell);
  const StoredCell now = row_of(ledger, found.cell);
  std::string text =
      fmt::format("cell {} stands at {}\n{}\n", found.cell, found.label, state_text(now));
  const auto all = history(ledger, found.label);
  if (all.size() < 2) {
    return text + "It is the first cell that stands there: nothing was run anew.\n";
  }
  const auto& [before, since] = all[all.size() - 2];
  text += fmt::format("Since {} it stands in the place of cell {}, because\n", all.back().second,
                      before);
  return text + differences(row_of(ledger, before), now);
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
  return study::read_from_ledger(study_folder, remark,
                                 [&](study::Ledger& ledger) { return study::why(ledger, cell); });
}

}  // namespace mixwell
