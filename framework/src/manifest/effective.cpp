// The effective manifest of a run: the manifest with every default filled in.
// SPDX-License-Identifier: Apache-2.0
#include "manifest/effective.hpp"

#include "base/split.hpp"
#include "component/toml_text.hpp"
#include "manifest/instance.hpp"

#include <fmt/format.h>

#include <string_view>

namespace mixwell {
namespace {

constexpr const char* unset = " is not set";

std::string one_line(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  return text;
}

std::string line_text(const EffectiveLine& line) {
  const std::string comment = one_line(line.comment);
  if (line.value.empty()) {
    return fmt::format("# {}{}{}{}\n", line.key, unset, comment.empty() ? "" : ": ", comment);
  }
  return fmt::format("{} = {}{}{}\n", toml_key(line.key), line.value, comment.empty() ? "" : "  # ",
                     comment);
}

/// Reads one line. Adds nothing if the line has no key.
void read_line(std::string_view line, std::vector<EffectiveLine>& lines) {
  constexpr std::size_t after_hash = 2;
  const std::size_t is_unset = line.find(unset);
  const std::size_t equals = line.find(" = ");
  if (line.starts_with("# ") && is_unset != std::string::npos) {
    lines.push_back({std::string(line.substr(after_hash, is_unset - after_hash)), {}, {}});
  } else if (!line.starts_with('#') && equals != std::string::npos) {
    lines.push_back(
        {std::string(line.substr(0, equals)), std::string(line.substr(equals + 3)), {}});
  }
}

/// The list of tables as one line, because a comment may follow it. Empty if the manifest has no
/// such list.
std::string effective_list(const Instance& instance, const std::string& key) {
  const auto found = instance.rows.find(key);
  if (found == instance.rows.end()) return {};
  std::vector<std::string> tables;
  for (const ListedTable& row : found->second) {
    std::vector<std::string> lines;
    for (const Field& field : row.fields.all()) {
      const std::string value = effective_value(row.keys, row.fields, field);
      if (!value.empty()) lines.push_back(fmt::format("{} = {}", toml_key(field.key()), value));
    }
    tables.push_back(fmt::format("{{ {} }}", fmt::join(lines, ", ")));
  }
  return fmt::format("[{}]", fmt::join(tables, ", "));
}

}  // namespace

std::string effective_value(const KeyTable& keys, const Fields& fields, const Field& field) {
  const auto given = keys.texts.find(field.key());
  if (given != keys.texts.end()) return given->second;
  if (!field.replaced().empty()) return {};
  for (const Field& other : fields.all()) {
    if (other.replaced() == field.key() && keys.texts.contains(other.key())) return {};
  }
  return field.value_text();
}

std::string comment_for(const Field& field) {
  const std::string condition = field.condition();
  return fmt::format("{}{}{}", field.help(), condition.empty() ? "" : "; only with " + condition,
                     field.unit().empty() ? "" : " [" + field.unit() + "]");
}

EffectiveTable effective(const Instance& instance) {
  EffectiveTable table{instance.declaration.path(), {}};
  table.lines.push_back({"use", toml_text(instance.about().id), instance.about().summary});
  for (const Field& field : instance.blueprint->fields().all()) {
    const bool is_list = std::holds_alternative<TableList>(field.target());
    table.lines.push_back(
        {field.key(),
         is_list ? effective_list(instance, field.key())
                 : effective_value(instance.keys, instance.blueprint->fields(), field),
         comment_for(field)});
  }
  for (const char* const key : {"dims", "coords"})
    if (const auto given = instance.keys.texts.find(key);
        instance.declaration.kind == Kind::model && given != instance.keys.texts.end())
      table.lines.push_back({key, given->second, ""});
  return table;
}

std::string effective_text(const std::vector<EffectiveTable>& tables) {
  std::string text =
      "# Effective manifest: every default is filled in. Running it gives bit-identical results.\n"
      "mixwell = 1\n";
  for (const EffectiveTable& table : tables) {
    text += fmt::format("\n[{}]\n", table.heading);
    for (const EffectiveLine& line : table.lines) text += line_text(line);
  }
  return text;
}

std::vector<EffectiveTable> read_effective(const std::string& text) {
  std::vector<EffectiveTable> tables;
  for (const std::string_view line : split(text, '\n')) {
    if (line.starts_with('[') && line.ends_with(']')) {
      tables.push_back({std::string(line.substr(1, line.size() - 2)), {}});
    } else if (!tables.empty()) {
      read_line(line, tables.back().lines);
    }
  }
  return tables;
}

}  // namespace mixwell
