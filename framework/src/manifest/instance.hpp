// The components of a manifest during its resolution, from table to finished component.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "manifest/manifest_dims.hpp"
#include "manifest/text.hpp"

#include <mixwell/component/fields.hpp>
#include <mixwell/lab/registry.hpp>

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace mixwell {

/// A table of keys: the table of a component, or one table of a list inside it.
struct KeyTable {
  std::string path;                          ///< dotted
  const toml::table* table = nullptr;        ///< null if the manifest has no such table
  std::map<std::string, std::string> texts;  ///< TOML text of each key that the manifest gives
  std::set<std::string> changed{};           ///< given keys whose value is not the default

  /// The value that the manifest gives, or null.
  const toml::node* get(const std::string& key) const {
    return table == nullptr ? nullptr : table->get(key);
  }
};

/// One table of a list of tables.
struct ListedTable {
  Fields fields;
  KeyTable keys;
};

/// A component that the manifest declares, or a built-in component that replaces a missing one.
struct Instance {
  Declaration declaration;
  const Entry* entry = nullptr;
  std::unique_ptr<Blueprint> blueprint;
  KeyTable keys;
  std::map<std::string, std::deque<ListedTable>> rows;  ///< lists of tables by key
  ManifestDims dims;                                    ///< used only by models
  const Instance* model = nullptr;                      ///< the first model that its keys refer to
  std::shared_ptr<const Component> made;

  const Description& about() const noexcept { return entry->description; }
};

/// The location of the table in the manifest.
Location place(const KeyTable& keys, const ManifestText& manifest);
inline Location place(const Instance& instance, const ManifestText& manifest) {
  return place(instance.keys, manifest);
}

/// All components. Their addresses stay valid when others are added.
class Instances {
 public:
  Instance& add() { return all_.emplace_back(); }
  const std::deque<Instance>& all() const noexcept { return all_; }
  /// Null if no component has this kind and name.
  Instance* find(Kind kind, const std::string& name);
  std::vector<Instance*> of_kind(Kind kind, const Instance* except = nullptr);
  std::vector<std::string> names(Kind kind);
  /// The components that were made, sorted by kind, then name.
  std::vector<const Instance*> in_use() const;

 private:
  std::deque<Instance> all_;
};

}  // namespace mixwell
