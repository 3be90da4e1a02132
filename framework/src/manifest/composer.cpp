// A composition made in code: what a manifest says, without the manifest.
// SPDX-License-Identifier: Apache-2.0
#include "manifest/resolve.hpp"
#include "manifest/text.hpp"

#include <mixwell/error.hpp>
#include <mixwell/lab/composer.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace mixwell {
namespace {

/// Writes a value into a table under its key.
class Insertion {
 public:
  Insertion(toml::table& table, const std::string& key) : table_(table), key_(key) {}

  template <class T>
  void operator()(const T& value) const {
    table_.insert_or_assign(key_, value);
  }
  template <class T>
  void operator()(const std::vector<T>& values) const {
    toml::array list;
    for (const T& value : values) list.push_back(value);
    table_.insert_or_assign(key_, std::move(list));
  }

 private:
  toml::table& table_;
  const std::string& key_;
};

/// The table under `part`, made if there is none, for the key `dotted` in the table `heading`.
toml::table& table_under(toml::table& table, const std::string& part, const std::string& heading,
                         const std::string& dotted) {
  if (!table.contains(part)) table.insert(part, toml::table{});
  if (toml::table* const next = table[part].as_table()) return *next;
  throw InputError(
      fmt::format("{}.{}: \"{}\" has a value already, and is no table; give the one or "
                  "the other",
                  heading, dotted, part));
}

toml::table table_of(const Keys& keys, const std::string& heading) {
  toml::table root;
  for (const auto& [dotted, value] : keys.all()) {
    toml::table* table = &root;
    std::istringstream in(dotted);
    std::string part;
    std::getline(in, part, '.');
    for (std::string next; std::getline(in, next, '.'); part = next)
      table = &table_under(*table, part, heading, dotted);
    std::visit(Insertion(*table, part), value);
  }
  for (const auto& [key, tables] : keys.tables()) {
    toml::array list;
    for (const Keys& one : tables) list.push_back(table_of(one, heading + "." + key));
    root.insert_or_assign(key, std::move(list));
  }
  return root;
}

}  // namespace

Keys& Keys::set(const std::string& key, KeyValue value) {
  std::erase_if(all_, [&](const auto& one) { return one.first == key; });
  all_.emplace_back(key, std::move(value));
  return *this;
}

Keys& Keys::set(const std::string& key, std::initializer_list<double> values) {
  return set(key, std::vector<double>(values));
}

Keys& Keys::set(const std::string& key, std::initializer_list<const char*> values) {
  return set(key, std::vector<std::string>(values.begin(), values.end()));
}

Keys& Keys::add(const std::string& key, Keys table) {
  tables_[key].push_back(std::move(table));
  return *this;
}

Keys& Composer::add(Kind kind, const std::string& id, const std::string& name) {
  const std::string& own = name.empty() ? id : name;
  for (const Declared& other : components_) {
    if (other.kind != kind || other.name != own) continue;
    throw InputError(
        {place(), 0, 0},
        fmt::format("[{}.{}] is there already, with use = \"{}\"; give this one, use = "
                    "\"{}\", another name",
                    to_string(kind), own, other.id, id));
  }
  return components_.emplace_back(Declared{kind, id, own, {}}).keys;
}

Composition Composer::compose(const Registry& registry) const {
  toml::table root{{"mixwell", manifest_format}};
  root.insert("run", table_of(run_, "run"));
  for (const Declared& one : components_) {
    const std::string kind(to_string(one.kind));
    toml::table table = table_of(one.keys, fmt::format("{}.{}", kind, one.name));
    table.insert_or_assign("use", one.id);
    if (!root.contains(kind)) root.insert(kind, toml::table{});
    root[kind].as_table()->insert(one.name, std::move(table));
  }
  Composition composition =
      resolve(std::make_shared<const ManifestText>(std::move(root), place()), registry);
  composition.name = name_;
  return composition;
}

}  // namespace mixwell
