// Resolves a manifest in three steps: bind values, connect components, fill in dependent defaults.
// SPDX-License-Identifier: Apache-2.0
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

/// Description::purpose of a recorder that writes draws.nc, the file that summaries read.
inline constexpr const char* draws_file_purpose = "draws.nc";

/// A manifest whose values are all checked and stored. References are not resolved yet.
struct BoundManifest {
  std::shared_ptr<const ManifestText> text;
  const Registry* registry;
  RunSettings run;
  EffectiveTable effective_run;
  Instances instances;
};

/// Throws InputError for the first wrong table, key or value.
BoundManifest bind_keys(std::shared_ptr<const ManifestText> manifest, const Registry& registry);

/// The built-in component with this id, with default keys and its id as its name. Adds the
/// component to `bound` if `bound` does not have it yet. Throws InputError if the registry has no
/// such component, or if the component has a required key.
Instance& built_in(BoundManifest& bound, Kind kind, const std::string& id);

/// The component that `field` of `user` refers to: by name, or the only suitable one. Null if an
/// optional reference refers to nothing. Throws InputError if no component or several components
/// are suitable.
Instance* referred(BoundManifest& bound, const Instance& user, const KeyTable& keys,
                   const Field& field);
/// The components that a field refers to with a list.
std::vector<Instance*> all_referred(BoundManifest& bound, const Instance& user,
                                    const KeyTable& keys, const Field& field);

/// Returns the component that replaces a finished component, or null.
using PartOf = std::function<std::shared_ptr<Component>(const std::shared_ptr<Component>&)>;

/// Makes a component from the values of its keys. `places` gives the locations of the keys for
/// later error messages. Throws InputError and RunError that name the table.
std::shared_ptr<const Component> make_component(const Instance& instance,
                                                const ManifestText& manifest,
                                                const std::shared_ptr<const Locations>& places,
                                                const PartOf& part_of);

/// A manifest whose components are all made, each with the components that its keys refer to.
struct WiredManifest {
  BoundManifest bound;
  std::shared_ptr<const Compositor> compositor;
  std::vector<std::shared_ptr<const Recorder>> recorders;  ///< the first one writes draws.nc
  std::shared_ptr<Portions> division;  ///< if run.ranks = "data" or "coordinates", else null
  bool is_divided = false;             ///< whether a model is divided
};

/// Makes the compositor, the recorders, and everything they refer to. `ranks` are the processes
/// that divide models, or null if there is only this process. Throws InputError.
WiredManifest wire(BoundManifest bound, Ranks* ranks);

/// Completes everything in a composition except its name: defaults that depend on the model,
/// changes for a run of the prior, and the effective manifest. Throws InputError for keys of [run]
/// and for dims that the components do not use.
Composition settle(WiredManifest wired);

/// All three steps: everything in a composition except its name. The components keep the manifest,
/// because later errors refer to it. `ranks`: see load_manifest(). Throws InputError.
Composition resolve(std::shared_ptr<const ManifestText> manifest, const Registry& registry,
                    Ranks* ranks = nullptr);

}  // namespace mixwell
