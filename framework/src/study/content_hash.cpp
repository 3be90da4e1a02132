// Computes the identity of a cell, and explains why the identity has changed.
// SPDX-License-Identifier: Apache-2.0
#include "study/content_hash.hpp"

#include "files/json.hpp"
#include "files/own_files.hpp"
#include "files/sha256.hpp"
#include "manifest/text.hpp"
#include "plugin/abi_tag.hpp"
#include "study/claims.hpp"
#include "study/records.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/lab/study.hpp>

#include <fmt/format.h>
#include <toml++/toml.h>

#include <filesystem>
#include <iterator>
#include <set>
#include <sstream>

namespace mixwell::study {
namespace {

/// This key affects no result.
constexpr std::string_view ignored_key = "run.checkpoint_seconds";
constexpr std::string_view seed_line = "\nrun.seed = ";

void append_lines(const toml::table& table, const std::string& prefix, int depth,
                  std::string& lines) {
  for (const auto& [key, node] : table) {
    const std::string name = prefix + std::string(key.str());
    if (depth > 0 && node.is_table())
      append_lines(*node.as_table(), name + ".", name == "run" ? 0 : depth - 1, lines);
    else if (name != ignored_key)
      lines += name + " = " + value_text(node) + "\n";
  }
}

/// The lines of a manifest, sorted.
std::string lines_of(const toml::table& manifest) {
  std::string lines;
  append_lines(manifest, "", 2, lines);
  return lines;
}

/// Replaces the names of files in a manifest, because only the contents of files count.
void hide(toml::node& node, const std::set<std::string>& names) {
  if (toml::table* const table = node.as_table()) {
    for (auto&& [key, one] : *table) hide(one, names);
  } else if (toml::array* const list = node.as_array()) {
    for (toml::node& one : *list) hide(one, names);
  } else if (auto* const text = node.as_string(); text != nullptr && names.contains(**text)) {
    *text = "data";
  }
}

std::string change_line(const std::string& what, const std::string& before,
                        const std::string& now) {
  const auto shown = [](const std::string& hash) {
    return hash.find(' ') == std::string::npos ? hash.substr(0, 12) : hash;
  };
  return before == now ? ""
                       : fmt::format("  {} changed: {} -> {}\n", what, shown(before), shown(now));
}

std::string part_changes(const Json& before, const Json& now, const char* part, const char* what) {
  using Hashes = std::map<std::string, std::string>;
  Hashes old = before.value(part, Hashes()), all = now.value(part, Hashes());
  for (const auto& [name, hash] : old) all.try_emplace(name, "none");
  std::string text;
  for (const auto& [name, hash] : all)
    text += change_line(fmt::format("{} {}", what, name),
                        old.try_emplace(name, "none").first->second, hash);
  return text;
}

/// The normalised manifest of a plan, with the names of files replaced.
SeededText normalised_of(const CellPlan& plan) {
  std::set<std::string> names;
  for (const DataFile& file : plan.files) names.insert({file.named, file.path});
  toml::table manifest = toml::parse(plan.manifest);
  hide(manifest, names);
  const std::string lines = lines_of(manifest);
  const std::size_t seed = lines.find(seed_line) + seed_line.size();
  return {lines, seed, lines.find('\n', seed)};
}

}  // namespace

Remembered::Remembered(std::string folder) : folder_(std::move(folder)) {
  if (folder_.empty()) return;
  const auto texts = use_record(record_file(folder_, RecordKind::plans), [](const Json& rows) {
    return rows.at("texts").get<std::map<std::string, std::string>>();
  });
  if (texts) texts_ = *texts;
}

std::string Remembered::text(const std::string& key) const {
  const auto found = texts_.find(key);
  return found == texts_.end() ? "" : found->second;
}

void Remembered::know(const std::string& key, const std::string& text) {
  texts_[key] = text;
  is_new_ = true;
}

void Remembered::keep() {
  if (folder_.empty() || !is_new_) return;
  write_record(record_file(folder_, RecordKind::plans), {{"texts", texts_}});
  is_new_ = false;
}

std::string FileHashes::of(const std::string& path) {
  const auto earlier = known_.find(path);
  if (earlier != known_.end()) return earlier->second.sha256;
  const FileStamp stamp = stamp_of(path);
  const std::string key = fmt::format("file {} {}", stamp, path);
  std::string hash = remembered_.text(key);
  if (hash.empty()) {
    hash = file_sha256(path);
    remembered_.know(key, hash);
  }
  return known_.emplace(path, Known{stamp, hash}).first->second.sha256;
}

std::vector<std::string> FileHashes::changed() const {
  std::vector<std::string> paths;
  for (const auto& [path, known] : known_)
    if (stamp_of(path) != known.stamp) paths.push_back(path);
  return paths;
}

std::string framework_hash(FileHashes& hashes) {
  static const char inside = 0;
  return sha256(hashes.of(own_library()) + hashes.of(library_of(&inside)));
}

std::string normalised(const std::string& effective_manifest) {
  return lines_of(toml::parse(effective_manifest));
}

SeededText seeded(const std::string& effective_manifest) {
  const toml::table parsed = toml::parse(effective_manifest);
  const toml::source_region& seed = parsed["run"]["seed"].node()->source();
  std::size_t line = 0;
  for (auto k = seed.begin.line; k > 1; --k) line = effective_manifest.find('\n', line) + 1;
  return {effective_manifest, line + seed.begin.column - 1, line + seed.end.column - 1};
}

Ingredients::Ingredients(const CellPlan& plan, FileHashes& hashes, bool by_hash)
    : manifest_(seeded(plan.manifest)), normalised_(normalised_of(plan)) {
  const std::string framework = by_hash ? framework_hash(hashes) : build_tag();
  Json plugins = Json::object(), files = Json::object();
  for (const std::string& path : plan.libraries)
    plugins[std::filesystem::path(path).filename().string()] = hashes.of(path);
  others_ = framework + "\n" + json_text(plugins) + "\n";
  for (const DataFile& file : plan.files) {
    files[file.path] = hashes.of(file.path);
    others_ += hashes.of(file.path) + "\n";
  }
  others_ += "\n";
  const Json others = {{"mixwell", framework}, {"plugins", plugins}, {"files", files}};
  other_ingredients_ = json_text(others).substr(1);
}

Identity Ingredients::with_seed(std::int64_t seed) const {
  const std::string manifest = normalised_.with(seed);
  return {sha256("mixwell cell 1\n" + manifest + "\n" + others_),
          fmt::format(R"({{"manifest":"{}",{})", sha256(manifest), other_ingredients_)};
}

std::string ingredient_differences(const std::string& before, const std::string& now,
                                   bool with_manifest) {
  const auto parsed = [](const std::string& text) {
    return parse_json(text.empty() ? "{}" : text);
  };
  const Json a = parsed(before), b = parsed(now);
  const auto is_other = [&](const char* part) { return a.value(part, "") != b.value(part, ""); };
  return part_changes(a, b, "plugins", "plugin library") +
         part_changes(a, b, "files", "data file") +
         change_line("libmixwell", a.value("mixwell", "none"), b.value("mixwell", "none")) +
         (with_manifest && is_other("manifest") ? "  the manifest changed\n" : "");
}

namespace {

const StudyPlace& find(const Outline& outline, const std::string& text) {
  for (const StudyPlace& place : outline.places)
    if (place.label == text || place.cell.starts_with(text)) return place;
  throw InputError(
      fmt::format("--why {}: no cell of this study has this label or an id that starts with this "
                  "text. Use a label or an id from `--table`.",
                  text));
}

CellRow stored(const std::string& folder, const std::string& cell, const Remark& remark) {
  bool is_damaged = false;
  CellRow row = CellsNow(folder, LongTexts::kept).read(cell, &is_damaged).row;
  if (is_damaged) tell_damaged({record_file(folder, RecordKind::cell, cell)}, remark);
  return row;
}

std::set<std::string> line_set(const std::string& manifest) {
  std::set<std::string> lines;
  if (manifest.empty()) return lines;
  std::istringstream in(normalised(manifest));
  for (std::string line; std::getline(in, line);) lines.insert(line);
  return lines;
}

std::string differences(const CellRow& before, const CellRow& now) {
  std::string text;
  const std::set<std::string> old_lines = line_set(before.manifest);
  const std::set<std::string> new_lines = line_set(now.manifest);
  for (const std::string& line : old_lines) {
    if (!new_lines.contains(line)) text += "  manifest: - " + line + "\n";
  }
  for (const std::string& line : new_lines) {
    if (!old_lines.contains(line)) text += "  manifest: + " + line + "\n";
  }
  text += ingredient_differences(before.ingredients, now.ingredients, false);
  return text.empty() ? "  the records do not show what changed\n" : text;
}

std::string state_text(const StudyRow& row) {
  std::string text(to_string(row.status));
  if (row.outcome) text += fmt::format(", ended by {}", to_string(*row.outcome));
  if (!row.ended_at.empty()) text += " at " + row.ended_at;
  if (row.attempts > 1) text += fmt::format(", started {} times", row.attempts);
  if (!row.reason.empty()) text += ": " + row.reason;
  return text;
}

std::string why(const std::string& folder, const std::string& cell, const Remark& remark) {
  const Outline outline = read_outline(folder);
  tell_damaged(outline.damaged, remark);
  const StudyPlace& found = find(outline, cell);
  const CellRow now = stored(folder, found.cell, remark);
  std::string text =
      fmt::format("cell {} has the label {}\n{}\n", found.cell, found.label, state_text(now));
  const auto past = outline.history.find(found.label);
  if (past == outline.history.end() || past->second.size() < 2)
    return text + "This is the first cell with this label, so nothing was run again.\n";
  const std::string& before = std::prev(past->second.end(), 2)->cell;
  text += fmt::format("At {} this cell replaced cell {} because of these changes:\n",
                      past->second.back().since, before);
  return text + differences(stored(folder, before, remark), now);
}

}  // namespace
}  // namespace mixwell::study

namespace mixwell {

std::string study_why(const std::string& study_folder, const std::string& cell,
                      const std::function<void(const std::string&)>& remark) {
  return study::read_study(study_folder, [&] { return study::why(study_folder, cell, remark); });
}

}  // namespace mixwell
