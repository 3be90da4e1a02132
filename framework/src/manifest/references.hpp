// Which component of a manifest a key refers to.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "manifest/binder.hpp"

#include <string>
#include <vector>

namespace mixwell {

/// Looks components up by name, or finds the only one that will do. Throws InputError where there
/// is none, and where there are several.
class NamedComponents {
 public:
  explicit NamedComponents(BoundManifest& bound) : bound_(bound) {}

  /// What `field` of `user` refers to; null for an optional reference to nothing.
  Instance* one(const Instance& user, const KeyTable& keys, const Field& field,
                const ComponentReference& reference);
  /// Of a field that refers to a list of components.
  std::vector<Instance*> all(const Instance& user, const KeyTable& keys, const Field& field,
                             Kind kind);

 private:
  /// ComponentReference::learnt stands in, and not its fallback.
  bool learns(const ComponentReference& reference);
  Instance& named(const toml::node& node, const std::string& key, Kind kind);
  std::string unknown_reference(Kind kind, const std::string& name);
  [[noreturn]] void wrong_purpose(const toml::node& node, const KeyTable& keys, const Field& field,
                                  const Instance& found) const;
  [[noreturn]] void unresolved(const KeyTable& keys, const Field& field, Kind kind,
                               const std::vector<Instance*>& candidates) const;

  BoundManifest& bound_;
};

}  // namespace mixwell
