// Finds the component that a key of a manifest refers to.
// SPDX-License-Identifier: Apache-2.0
#include "base/shortened.hpp"
#include "manifest/resolve.hpp"
#include "manifest/values.hpp"

#include <mixwell/base/error.hpp>

#include <fmt/format.h>

namespace mixwell {
namespace {

bool serves(const Instance& instance, const ComponentReference& reference) {
  return instance.about().purpose == reference.purpose;
}

/// Finds components by name, or finds the only suitable one.
class NamedComponents {
 public:
  explicit NamedComponents(BoundManifest& bound) : bound_(bound) {}

  std::vector<Instance*> all(const Instance& user, const KeyTable& keys, const Field& field) {
    const Kind kind = std::get<ComponentReference>(field.target()).kind;
    const toml::node* const node = keys.get(field.key());
    if (node == nullptr) {
      const std::vector<Instance*> candidates = bound_.instances.of_kind(kind, &user);
      if (candidates.empty()) unresolved(keys, field, kind, candidates);
      return candidates;
    }
    const std::string key = keys.path + "." + field.key();
    if (!node->is_array() || node->as_array()->empty()) {
      reject(*node, key, fmt::format("must be a list of names of {}s", to_string(kind)),
             *bound_.text);
    }
    std::vector<Instance*> found;
    for (const toml::node& item : *node->as_array()) found.push_back(&named(item, key, kind));
    return found;
  }

  Instance* one(const Instance& user, const KeyTable& keys, const Field& field) {
    const auto& reference = std::get<ComponentReference>(field.target());
    const toml::node* const node = keys.get(field.key());
    if (node != nullptr) {
      Instance& found = named(*node, keys.path + "." + field.key(), reference.kind);
      if (!serves(found, reference)) wrong_purpose(*node, keys, field, found);
      return &found;
    }
    if (reference.optional && keys.texts.contains(field.replaced())) return nullptr;
    std::vector<Instance*> candidates = bound_.instances.of_kind(reference.kind, &user);
    // A built-in component that was added for one reference is no candidate for other references.
    std::erase_if(candidates, [&](const Instance* c) {
      return !serves(*c, reference) || c->declaration.table == nullptr;
    });
    if (candidates.size() == 1) return candidates.front();
    if (candidates.empty() && reference.optional) return nullptr;
    if (candidates.empty() && !reference.fallback.empty()) {
      return &built_in(bound_, reference.kind,
                       learns(reference) ? reference.learnt : reference.fallback);
    }
    unresolved(keys, field, reference.kind, candidates);
  }

 private:
  /// Whether to use ComponentReference::learnt instead of ComponentReference::fallback.
  bool learns(const ComponentReference& reference) {
    if (reference.learnt.empty() || bound_.run.warmup == 0) return false;
    for (const Instance* compositor : bound_.instances.of_kind(Kind::compositor)) {
      if (compositor->about().provides_memory) return false;
    }
    return !reference.learns_where || reference.learns_where();
  }

  [[noreturn]] void wrong_purpose(const toml::node& node, const KeyTable& keys, const Field& field,
                                  const Instance& found) const {
    const auto plain = [](const std::string& purpose, Kind kind) {
      return purpose.empty() ? fmt::format("an ordinary {}", to_string(kind))
                             : with_article(purpose);
    };
    const auto& reference = std::get<ComponentReference>(field.target());
    reject(node, keys.path + "." + field.key(),
           fmt::format("must name {}, but [{}] is {}", plain(reference.purpose, reference.kind),
                       found.declaration.path(), plain(found.about().purpose, reference.kind)),
           *bound_.text);
  }

  Instance& named(const toml::node& node, const std::string& key, Kind kind) {
    if (!node.is_string()) {
      reject(node, key,
             fmt::format("must be the name of {} (got {})", one_of_kind(kind), type_name(node)),
             *bound_.text);
    }
    const std::string name = **node.as_string();
    if (Instance* found = bound_.instances.find(kind, name)) return *found;
    reject(node, key, unknown_reference(kind, name), *bound_.text);
  }

  std::string unknown_reference(Kind kind, const std::string& name) {
    for (const Instance& other : bound_.instances.all()) {
      if (other.declaration.name != name) continue;
      return fmt::format("must name {}, but \"{}\" is the {} [{}]{}", one_of_kind(kind),
                         shortened(name), to_string(other.declaration.kind),
                         other.declaration.path(), suggestion(name, bound_.instances.names(kind)));
    }
    return fmt::format("the manifest has no [{}.{}]{}", to_string(kind), name,
                       suggestion(name, bound_.instances.names(kind)));
  }

  [[noreturn]] void unresolved(const KeyTable& keys, const Field& field, Kind kind,
                               const std::vector<Instance*>& candidates) const {
    std::vector<std::string> paths;
    for (const Instance* candidate : candidates) paths.push_back(candidate->declaration.path());
    const std::string rule =
        paths.empty()
            ? fmt::format(
                  "the manifest has no {0}. Add a table [{0}.NAME] with `use` (known: {1}).",
                  to_string(kind), fmt::join(bound_.registry->ids(kind), ", "))
            : fmt::format(
                  "the manifest has several tables of this kind ({}). Choose one with {} = "
                  "\"NAME\".",
                  fmt::join(paths, ", "), field.key());
    throw InputError(place(keys, *bound_.text),
                     fmt::format("[{}] needs {} as \"{}\": {}", keys.path, one_of_kind(kind),
                                 field.key(), rule));
  }

  BoundManifest& bound_;
};

}  // namespace

Instance* referred(BoundManifest& bound, const Instance& user, const KeyTable& keys,
                   const Field& field) {
  return NamedComponents(bound).one(user, keys, field);
}

std::vector<Instance*> all_referred(BoundManifest& bound, const Instance& user,
                                    const KeyTable& keys, const Field& field) {
  return NamedComponents(bound).all(user, keys, field);
}

}  // namespace mixwell
