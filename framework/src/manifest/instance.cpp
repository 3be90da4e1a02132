// The components of a manifest during its resolution, from table to finished component.
// SPDX-License-Identifier: Apache-2.0
#include "manifest/instance.hpp"

#include <algorithm>
#include <tuple>

namespace mixwell {

Location place(const KeyTable& keys, const ManifestText& manifest) {
  if (keys.table == nullptr) return {manifest.path(), 0, 0};
  return manifest.at(keys.path, keys.table->source());
}

Instance* Instances::find(Kind kind, const std::string& name) {
  for (Instance& instance : all_) {
    if (instance.declaration.kind == kind && instance.declaration.name == name) return &instance;
  }
  return nullptr;
}

std::vector<Instance*> Instances::of_kind(Kind kind, const Instance* except) {
  std::vector<Instance*> found;
  for (Instance& instance : all_) {
    if (instance.declaration.kind == kind && &instance != except) found.push_back(&instance);
  }
  return found;
}

std::vector<std::string> Instances::names(Kind kind) {
  std::vector<std::string> found;
  for (const Instance* instance : of_kind(kind)) found.push_back(instance->declaration.name);
  return found;
}

std::vector<const Instance*> Instances::in_use() const {
  std::vector<const Instance*> found;
  for (const Instance& instance : all_) {
    if (instance.made) found.push_back(&instance);
  }
  std::sort(found.begin(), found.end(), [](const Instance* a, const Instance* b) {
    return std::tie(a->declaration.kind, a->declaration.name) <
           std::tie(b->declaration.kind, b->declaration.name);
  });
  return found;
}

}  // namespace mixwell
