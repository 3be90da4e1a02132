// What an effective manifest says of a component.
// SPDX-License-Identifier: Apache-2.0
#include "manifest/effective_instance.hpp"

#include "component/toml_text.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace mixwell {
namespace {

/// Empty where another key says it instead, and of a key that could have said what another one
/// says: only one of the two may be read again.
std::string effective_value(const KeyTable& keys, const Fields& fields, const Field& field) {
  const auto given = keys.texts.find(field.key());
  if (given != keys.texts.end()) return given->second;
  if (!field.replaced().empty()) return {};
  for (const Field& other : fields.all()) {
    if (other.replaced() == field.key() && keys.texts.contains(other.key())) return {};
  }
  return field.value_text();
}

/// On one line, so that the comment stands behind it; empty where there is none.
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

}  // namespace mixwell
