// The first of three parts of resolving a manifest: its texts become values of components' keys.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "manifest/effective.hpp"
#include "manifest/instance.hpp"
#include "manifest/text.hpp"
#include "manifest/values.hpp"

#include <mixwell/lab/manifest.hpp>
#include <mixwell/lab/registry.hpp>

#include <memory>
#include <string>
#include <vector>

namespace mixwell {

/// All values of a manifest checked and in their places. References between components wait.
struct BoundManifest {
  std::shared_ptr<const ManifestText> text;
  const Registry* registry;
  RunSettings run;
  EffectiveTable effective_run;
  Instances instances;
};

class Binder {
 public:
  Binder(std::shared_ptr<const ManifestText> manifest, const Registry& registry);

  /// Throws InputError for the first table, key or value that is wrong.
  BoundManifest bind() const;

 private:
  void add(Instance& instance, const Declaration& declaration) const;
  void add_rows(Instance& instance, const Field& field, const TableList& tables) const;
  void bind_values(KeyTable& keys, const Fields& fields,
                   const std::vector<std::string>& also) const;
  void bind_value(KeyTable& keys, const Field& field) const;
  void check_alone(const KeyTable& keys, const Field& field) const;
  const Entry& entry_of(const Declaration& declaration) const;

  std::shared_ptr<const ManifestText> shared_manifest_;
  const ManifestText& manifest_;
  const Registry& registry_;
  FileFinder files_;
};

/// A built-in component with its defaults, named like its id; the one that `bound` has already, or
/// a new one. Throws InputError where the registry has none, and where it needs a key.
Instance& built_in(BoundManifest& bound, Kind kind, const std::string& id);

}  // namespace mixwell
