// Step 1 of 3 in resolving a manifest: convert its TOML values to the values of component keys.
// SPDX-License-Identifier: Apache-2.0
#include "manifest/resolve.hpp"
#include "manifest/run_settings.hpp"
#include "manifest/values.hpp"

#include <mixwell/base/error.hpp>

#include <fmt/format.h>

#include <utility>

namespace mixwell {
namespace {

const Entry& find_entry(const Registry& registry, Kind kind, const std::string& id,
                        const Location& where) {
  try {
    return registry.find(kind, id);
  } catch (const InputError& fault) {
    throw InputError(where, fault.what());
  }
}

class Binder {
 public:
  Binder(std::shared_ptr<const ManifestText> manifest, const Registry& registry)
      : shared_manifest_(std::move(manifest)),
        manifest_(*shared_manifest_),
        registry_(registry),
        files_(manifest_.path()) {}

  BoundManifest bind() const {
    BoundManifest bound{shared_manifest_, &registry_, {}, {}, {}};
    bound.run = read_run_settings(source(), bound.effective_run);
    for (const Declaration& declaration : manifest_.declarations())
      add(bound.instances.add(), declaration);
    return bound;
  }

 private:
  ValueSource source() const { return {manifest_, files_}; }

  void add(Instance& instance, const Declaration& declaration) const {
    instance.declaration = declaration;
    instance.entry = &entry_of(declaration);
    instance.blueprint = instance.entry->blueprint();
    instance.keys = {declaration.path(), declaration.table, {}};
    const bool is_model = declaration.kind == Kind::model;
    bind_values(instance.keys, instance.blueprint->fields(), source(),
                is_model ? std::vector<std::string>{"use", "dims", "coords"}
                         : std::vector<std::string>{"use"});
    if (is_model)
      for (const Field& field : instance.dims.fields()) bind_value(instance.keys, field, source());
    for (const Field& field : instance.blueprint->fields().all()) {
      const auto* const tables = std::get_if<TableList>(&field.target());
      if (tables != nullptr) add_rows(instance, field, *tables);
    }
  }

  void add_rows(Instance& instance, const Field& field, const TableList& tables) const {
    const toml::node* const node = instance.keys.table->get(field.key());
    if (node == nullptr) return;
    const std::string key = instance.keys.path + "." + field.key();
    const toml::array* const list = node->as_array();
    if (list == nullptr || list->empty()) {
      reject(*node, key, fmt::format("must be a list of tables [[{}]]", key), manifest_);
    }
    for (const toml::node& item : *list) {
      std::deque<ListedTable>& rows = instance.rows[field.key()];
      ListedTable& row = rows.emplace_back();
      row.keys = {fmt::format("{}[{}]", key, rows.size() - 1), item.as_table(), {}};
      if (row.keys.table == nullptr) {
        reject(item, row.keys.path, fmt::format("must be a table [[{}]]", key), manifest_);
      }
      tables.append(row.fields);
      bind_values(row.keys, row.fields, source(), {});
    }
  }

  const Entry& entry_of(const Declaration& declaration) const {
    const toml::node* const use = declaration.table->get("use");
    if (use == nullptr) {
      throw InputError(
          manifest_.at(declaration.path(), declaration.table->source()),
          fmt::format("[{}] must have the key \"use\" with the id of a plugin (known: {})",
                      declaration.path(), fmt::join(registry_.ids(declaration.kind), ", ")));
    }
    const std::string key = declaration.path() + ".use";
    if (!use->is_string()) reject(*use, key, "must be a string, the id of a plugin", manifest_);
    return find_entry(registry_, declaration.kind, **use->as_string(),
                      manifest_.at(key, use->source()));
  }

  std::shared_ptr<const ManifestText> shared_manifest_;
  const ManifestText& manifest_;
  const Registry& registry_;
  FileFinder files_;
};

}  // namespace

BoundManifest bind_keys(std::shared_ptr<const ManifestText> manifest, const Registry& registry) {
  return Binder(std::move(manifest), registry).bind();
}

Instance& built_in(BoundManifest& bound, Kind kind, const std::string& id) {
  if (Instance* earlier = bound.instances.find(kind, id)) return *earlier;
  Instance& instance = bound.instances.add();
  instance.declaration = {kind, id, nullptr};
  instance.keys = {instance.declaration.path(), nullptr, {}};
  instance.entry = &find_entry(*bound.registry, kind, id, {bound.text->path(), 0, 0});
  instance.blueprint = instance.entry->blueprint();
  for (const Field& field : instance.blueprint->fields().all()) {
    if (field.is_required()) refuse_missing(instance.keys, field, *bound.text);
  }
  return instance;
}

}  // namespace mixwell
