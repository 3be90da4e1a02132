// The components of a manifest on their way from a table to a made component.
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

/// A table of keys: that of a component, or one of a list of tables in it.
struct KeyTable {
  std::string path;                          ///< dotted
  const toml::table* table = nullptr;        ///< null where the manifest has none
  std::map<std::string, std::string> texts;  ///< of the keys that the manifest gives, as TOML
  std::set<std::string> changed{};           ///< of those, the ones with another value than usual

  /// What the manifest gives, or null.
  const toml::node* get(const std::string& key) const {
    return table == nullptr ? nullptr : table->get(key);
  }
};

/// One table of a list of tables.
struct ListedTable {
  Fields fields;
  KeyTable keys;
};

/// A declared component, or a built-in one that stands in for what the manifest left out.
struct Instance {
  Declaration declaration;
  const Entry* entry = nullptr;
  std::unique_ptr<Blueprint> blueprint;
  KeyTable keys;
  std::map<std::string, std::deque<ListedTable>> rows;  ///< by key of a list of tables
  ManifestDims dims;                                    ///< of a model
  const Instance* model = nullptr;                      ///< the first one that its keys refer to
  std::shared_ptr<const Component> made;

  const Description& about() const noexcept { return entry->description; }
};

/// Where the table stands in the manifest.
Location place(const KeyTable& keys, const ManifestText& manifest);
inline Location place(const Instance& instance, const ManifestText& manifest) {
  return place(instance.keys, manifest);
}

/// Their addresses stay valid as others are added.
class Instances {
 public:
  Instance& add() { return all_.emplace_back(); }
  const std::deque<Instance>& all() const noexcept { return all_; }
  /// Null where there is none.
  Instance* find(Kind kind, const std::string& name);
  std::vector<Instance*> of_kind(Kind kind, const Instance* except = nullptr);
  std::vector<std::string> names(Kind kind);
  /// Those that are made, by kind, then name.
  std::vector<const Instance*> in_use() const;

 private:
  std::deque<Instance> all_;
};

}  // namespace mixwell
