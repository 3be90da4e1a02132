// From declarations to components, in three parts: values bound, components wired, defaults
// settled. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "manifest/effective.hpp"
#include "manifest/instance.hpp"
#include "manifest/text.hpp"

#include <mixwell/kernel.hpp>
#include <mixwell/lab/manifest.hpp>
#include <mixwell/lab/registry.hpp>
#include <mixwell/recorder.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace mixwell {

/// Description::purpose of a recorder that writes draws.nc, which summaries read.
inline constexpr const char* draws_file_purpose = "draws.nc";

/// All values of a manifest checked and in their places. References between components wait.
struct BoundManifest {
  std::shared_ptr<const ManifestText> text;
  const Registry* registry;
  RunSettings run;
  EffectiveTable effective_run;
  Instances instances;
};

/// Throws InputError for the first table, key or value that is wrong.
BoundManifest bind_keys(std::shared_ptr<const ManifestText> manifest, const Registry& registry);

/// A built-in component with its defaults, named like its id; the one that `bound` has already, or
/// a new one. Throws InputError where the registry has none, and where it needs a key.
Instance& built_in(BoundManifest& bound, Kind kind, const std::string& id);

/// The component that `field` of `user` refers to, by name, or as the only one that will do; null
/// for an optional reference to nothing. Throws InputError where there is none or are several.
Instance* referred(BoundManifest& bound, const Instance& user, const KeyTable& keys,
                   const Field& field);
/// Those of a field that refers to a list of components.
std::vector<Instance*> all_referred(BoundManifest& bound, const Instance& user,
                                    const KeyTable& keys, const Field& field);

/// What stands in for a component that was made, or null.
using PartOf = std::function<std::shared_ptr<Component>(const std::shared_ptr<Component>&)>;

/// A component from its bound keys. `places`: what it says of its keys later. Throws InputError and
/// RunError that name the table.
std::shared_ptr<const Component> make_component(const Instance& instance,
                                                const ManifestText& manifest,
                                                const std::shared_ptr<const Places>& places,
                                                const PartOf& part_of);

/// A manifest whose components are made, each with those that its keys refer to.
struct WiredManifest {
  BoundManifest bound;
  std::shared_ptr<const Compositor> compositor;
  std::vector<std::shared_ptr<const Recorder>> recorders;  ///< the first writes draws.nc
  std::shared_ptr<Portions> division;  ///< of run.ranks = "data" or "coordinates", else null
  bool is_divided = false;             ///< a model is
};

/// Makes the compositor and the recorders, and all that they refer to. `ranks`: among which models
/// are divided; null where this process is alone. Throws InputError.
WiredManifest wire(BoundManifest bound, Ranks* ranks);

/// Defaults that depend on the model, what the run of a prior changes, the effective manifest, and
/// everything else of a composition but its name. Throws InputError for keys of [run] and dims that
/// the components have no use for.
Composition settle(WiredManifest wired);

/// All three: everything of a composition but its name; its components keep the manifest, for what
/// is refused later. `ranks`: as load_manifest's. Throws InputError.
Composition resolve(std::shared_ptr<const ManifestText> manifest, const Registry& registry,
                    Ranks* ranks = nullptr);

}  // namespace mixwell
