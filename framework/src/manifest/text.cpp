// The parsed text of a manifest: its tables, its overrides, and the location of each key.
// SPDX-License-Identifier: Apache-2.0
#include "manifest/text.hpp"

#include "base/shortened.hpp"
#include "base/split.hpp"
#include "component/toml_text.hpp"
#include "files/toml_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace mixwell {
namespace {

Location location_of(const Override& change) {
  if (!change.where.file.empty()) return change.where;
  return {fmt::format("--set {}={}", shortened(change.key), shortened(change.value)), 0, 0};
}

[[noreturn]] void reject(const Override& change, const std::string& message) {
  throw InputError(location_of(change), message);
}

/// The value of an override. Text that is not valid TOML is read as a string.
toml::table value_table(const Override& change) {
  if (change.value.find_first_of("\r\n") != std::string::npos)
    reject(change, "must be one value on one line. Give --set once for each key");
  try {
    return parse_toml("value = " + change.value, "");
  } catch (const InputError&) {
    return toml::table{{"value", change.value}};
  }
}

std::vector<std::string> names_in(const toml::table& table) {
  std::vector<std::string> names;
  for (const auto& [key, node] : table) names.emplace_back(key.str());
  return names;
}

std::vector<std::string> top_level_names() {
  std::vector<std::string> names = {"run"};
  for (const Kind kind : all_kinds) names.emplace_back(to_string(kind));
  return names;
}

/// The table under `key`, created if missing.
toml::table& descend(toml::table& table, const std::string& key, const Override& change) {
  if (!table.contains(key)) table.insert(key, toml::table{});
  toml::table* const next = table[key].as_table();
  if (next == nullptr)
    reject(change,
           fmt::format("`{}` already has a value, so it cannot also be a table. Correct the key.",
                       key));
  return *next;
}

void check_shape(const Override& change, const std::vector<std::string>& parts) {
  const bool hollow = std::any_of(parts.begin(), parts.end(), [](auto& p) { return p.empty(); });
  const bool short_key = change.effect != Override::Effect::set || parts.front() == "run";
  const std::size_t least = short_key ? 2 : 3;
  if (hollow || parts.size() < least)
    reject(change, "must have the form KIND.NAME.KEY=VALUE or run.KEY=VALUE");
  if (parts.size() > most_toml_depth)
    reject(change, fmt::format("must have a key with at most {} parts, separated by dots",
                               most_toml_depth));
}

/// An override can add a component only by setting its `use` first. Otherwise an unknown name is
/// treated as a typing error.
void check_component(const toml::table& root, const Override& change,
                     const std::vector<std::string>& parts) {
  const bool begins =
      change.effect == Override::Effect::clear || (parts.size() > 2 && parts.at(2) == "use");
  if (parts.front() == "run" || begins) return;
  const toml::table* const kind = root[parts[0]].as_table();
  if (kind != nullptr && kind->contains(parts[1])) return;
  const std::string cure =
      change.effect == Override::Effect::remove
          ? ""
          : fmt::format(". To add this component, first give {}{}.{}.use=ID",
                        change.where.file.empty() ? "--set " : "", parts[0], parts[1]);
  reject(
      change,
      fmt::format("the manifest has no [{}.{}]{}{}", parts[0], parts[1],
                  suggestion(parts[1], kind ? names_in(*kind) : std::vector<std::string>()), cure));
}

bool starts_with_key(const std::string& dotted, const std::string& key) {
  return dotted == key || dotted.starts_with(key + ".") || dotted.starts_with(key + "[");
}

}  // namespace

std::string Declaration::path() const { return fmt::format("{}.{}", to_string(kind), name); }

ManifestText::ManifestText(const std::string& text, std::string path,
                           const std::vector<Override>& overrides)
    : path_(std::move(path)), root_(parse_toml(text, path_)) {
  check_format();
  for (const Override& change : overrides) apply(change);
  read_tables();
}

ManifestText::ManifestText(toml::table root, std::string path)
    : path_(std::move(path)), has_lines_(false), root_(std::move(root)) {
  read_tables();
}

void ManifestText::read_tables() {
  for (const auto& [key, node] : root_) check_key(key);
  if (const toml::node* run = root_.get("run")) {
    run_ = run->as_table();
    if (run_ == nullptr)
      throw InputError(at("run", run->source()), "`run` must be a table, written as [run]");
  }
  for (const Kind kind : all_kinds) {
    if (const toml::node* tables = root_.get(to_string(kind))) declare(kind, *tables);
  }
}

Location ManifestText::at(const std::string& dotted, const toml::source_region& source) const {
  for (auto change = overrides_.rbegin(); change != overrides_.rend(); ++change) {
    if (change->effect == Override::Effect::set && starts_with_key(dotted, change->key))
      return location_of(*change);
  }
  if (!has_lines_) return {path_, 0, 0};
  return {path_, static_cast<int>(source.begin.line), static_cast<int>(source.begin.column)};
}

bool ManifestText::has(const std::string& dotted) const {
  return root_.at_path(dotted).node() != nullptr;
}

Locations::Named ManifestText::find(const std::string& dotted) const {
  const toml::node* const found = root_.at_path(dotted).node();
  const bool is_value = found != nullptr && !found->is_table();
  const std::string text = is_value ? fmt::format("{} = {}", shortened(dotted), shown(*found))
                                    : fmt::format("[{}]", shortened(dotted));
  std::string key = dotted;
  while (key.find('.') != std::string::npos) {
    const toml::node* const node = root_.at_path(key).node();
    if (node != nullptr) return {at(key, node->source()), text};
    key.resize(key.find_last_of(".["));
  }
  return {{path_, 0, 0}, text};
}

void ManifestText::apply(const Override& change) {
  const std::vector<std::string_view> views = split(change.key, '.');
  const std::vector<std::string> parts(views.begin(), views.end());
  check_shape(change, parts);
  if (parts.front() != "run" && !kind_from(parts.front())) {
    reject(change, fmt::format("unknown kind \"{}\"{}", shortened(parts.front()),
                               suggestion(parts.front(), top_level_names())));
  }
  check_component(root_, change, parts);
  toml::table* table = &root_;
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) table = &descend(*table, parts[i], change);
  if (change.effect != Override::Effect::set) {
    table->erase(parts.back());
  } else {
    toml::table value = value_table(change);
    table->insert_or_assign(parts.back(), std::move(*value.get("value")));
  }
  overrides_.push_back(change);
}

void ManifestText::check_format() const {
  const toml::node* const format = root_.get("mixwell");
  if (format == nullptr) {
    throw InputError({path_, 1, 1},
                     "the format version is missing. Add the line `mixwell = 1` at the top.");
  }
  if (format->value_exact<std::int64_t>() != manifest_format) {
    throw InputError(
        at("mixwell", format->source()),
        fmt::format("mixwell = {}: this program reads only manifests of format 1. Write "
                    "`mixwell = 1`.",
                    shown(*format)));
  }
}

void ManifestText::check_key(const toml::key& key) const {
  const std::string name(key.str());
  if (name == "mixwell" || name == "run" || kind_from(name)) return;
  throw InputError(at(name, key.source()), fmt::format("unknown kind \"{}\"{}", shortened(name),
                                                       suggestion(name, top_level_names())));
}

void ManifestText::declare(Kind kind, const toml::node& tables) {
  const std::string kind_name(to_string(kind));
  if (!tables.is_table()) {
    throw InputError(
        at(kind_name, tables.source()),
        fmt::format("`{0}` must be a table that contains tables [{0}.NAME]", kind_name));
  }
  for (const auto& [key, node] : *tables.as_table()) {
    const Declaration found{kind, std::string(key.str()), node.as_table()};
    const Location where = at(found.path(), key.source());
    if (found.table == nullptr) {
      throw InputError(where,
                       fmt::format("{0}.{1} = {2}: this key must be inside a table [{0}.NAME]. "
                                   "Move the key into the table of a component.",
                                   kind_name, found.name, shown(node)));
    }
    if (!is_bare_key(found.name)) {
      throw InputError(where,
                       fmt::format("the name \"{}\" must contain only letters, digits, _ and -",
                                   shortened(found.name)));
    }
    declarations_.push_back(found);
  }
}

std::string value_text(const toml::node& node) {
  std::ostringstream out;
  if (const toml::array* const list = node.as_array()) {
    for (const toml::node& item : *list) out << (out.tellp() > 0 ? ", " : "") << value_text(item);
    return "[" + out.str() + "]";
  }
  if (const toml::table* const table = node.as_table()) {
    for (const auto& [key, item] : *table) {
      out << (out.tellp() > 0 ? ", " : " ") << toml_key(std::string(key.str())) << " = "
          << value_text(item);
    }
    return "{" + out.str() + " }";
  }
  if (const auto* const text = node.as_string()) return toml_text(std::string_view(**text));
  const auto* const number = node.as_floating_point();
  if (number != nullptr && std::isfinite(**number)) return toml_text(**number);
  node.visit([&](const auto& value) { out << value; });
  return out.str();
}

std::string shown(const toml::node& node) {
  if (node.is_table()) return shortened(value_text(node));
  std::ostringstream out;
  node.visit([&](const auto& value) {
    if constexpr (toml::is_string<decltype(value)>) {
      out << toml_text(std::string_view(*value));
    } else if constexpr (toml::is_floating_point<decltype(value)>) {
      out << (std::isfinite(*value) ? toml_text(*value) : fmt::format("{}", *value));
    } else {
      out << value;
    }
  });
  return shortened(out.str());
}

std::string type_name(const toml::node& node) {
  if (node.is_integer()) return "an integer";
  if (node.is_floating_point()) return "a number with a fraction";
  if (node.is_boolean()) return "a boolean";
  if (node.is_string()) return "a string";
  if (node.is_array()) return "a list";
  return node.is_table() ? "a table" : "a date or time";
}

}  // namespace mixwell
