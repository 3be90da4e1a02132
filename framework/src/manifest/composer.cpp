// Builds compositions in code, without a manifest file.
// SPDX-License-Identifier: Apache-2.0
#include "base/split.hpp"
#include "files/toml_file.hpp"
#include "manifest/made_in_code.hpp"
#include "manifest/resolve.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/lab/composer.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace mixwell {
namespace {

template <class T>
const T& node_of(const T& value) {
  return value;
}
template <class T>
toml::array node_of(const std::vector<T>& values) {
  toml::array list;
  for (const T& value : values) list.push_back(value);
  return list;
}

/// The table under `part`, created if missing. `dotted` is the full key in the table `heading`.
toml::table& table_under(toml::table& table, const std::string& part, const std::string& heading,
                         const std::string& dotted) {
  if (!table.contains(part)) table.insert(part, toml::table{});
  if (toml::table* const next = table[part].as_table()) return *next;
  throw InputError(fmt::format(
      "{}.{}: \"{}\" already has a value, so it cannot also be a table. Set either the value or "
      "the keys below it.",
      heading, dotted, part));
}

toml::table table_of(const Keys& keys, const std::string& heading) {
  toml::table root;
  for (const auto& [dotted, value] : keys.all()) {
    toml::table* table = &root;
    std::vector<std::string_view> parts = split(dotted, '.');
    const std::string key(parts.back());
    parts.pop_back();
    for (const std::string_view part : parts)
      table = &table_under(*table, std::string(part), heading, dotted);
    std::visit([&](const auto& one) { table->insert_or_assign(key, node_of(one)); }, value);
  }
  for (const auto& [key, tables] : keys.tables()) {
    toml::array list;
    for (const Keys& one : tables) list.push_back(table_of(one, heading + "." + key));
    root.insert_or_assign(key, std::move(list));
  }
  return root;
}

/// A plugin without keys that returns an existing model.
class Ready final : public Blueprint {
 public:
  explicit Ready(std::shared_ptr<Model> model) : model_(std::move(model)) {}
  Fields& fields() noexcept override { return fields_; }
  std::shared_ptr<Component> make() override { return model_; }

 private:
  std::shared_ptr<Model> model_;
  Fields fields_;
};

constexpr const char* ready_model = "model-in-memory";

/// The table of an existing model. It keeps the dimensions and labels of the table that it
/// replaces.
toml::table ready_table(const toml::table& before) {
  toml::table table{{"use", ready_model}};
  for (const char* const key : {"dims", "coords"})
    if (const toml::node* const node = before.get(key)) table.insert(key, *node);
  return table;
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
        fmt::format("[{}.{}] already exists with use = \"{}\". Give the new component (use = "
                    "\"{}\") another name.",
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

std::string place_of_written(const std::string& name) { return "composition " + name; }

Composition compose_written(const std::string& toml, const std::string& name,
                            const Registry& registry) {
  const std::string place = place_of_written(name);
  Composition composition =
      resolve(std::make_shared<const ManifestText>(parse_toml(toml, place), place), registry);
  composition.name = name;
  return composition;
}

Composition compose_on(const std::shared_ptr<Model>& model, const std::string& name,
                       toml::table root, const std::string& path, const Registry& known) {
  Registry registry = known;
  registry.add({.kind = Kind::model,
                .description = {.id = ready_model, .summary = "An existing model in memory"},
                .library = {},
                .blueprint = [&model] { return std::make_unique<Ready>(model); },
                .traits = {}});
  toml::table& models = *root["model"].as_table();
  models.insert_or_assign(name, ready_table(*models[name].as_table()));
  Composition composition =
      resolve(std::make_shared<const ManifestText>(std::move(root), path), registry);
  composition.name = std::filesystem::path(path).stem().string();
  return composition;
}

}  // namespace mixwell
