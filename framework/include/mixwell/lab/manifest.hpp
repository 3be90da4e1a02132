// Reads manifests, and makes and connects their components.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/error.hpp>
#include <mixwell/base/export.hpp>
#include <mixwell/compositor.hpp>
#include <mixwell/kernel.hpp>
#include <mixwell/lab/registry.hpp>
#include <mixwell/lab/run_settings.hpp>
#include <mixwell/recorder.hpp>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mixwell {

class ManifestText;
class Portions;
class Ranks;

/// The settings in a manifest for the dimensions of the model's recorded values: dimension names
/// for variables, and labels for dimensions. These names and labels replace those of the model.
struct MIXWELL_EXPORT RecordedDims {
  std::map<std::string, std::vector<std::string>> dims;
  std::map<std::string, std::vector<std::string>> coords;

  /// Replaces the model's dimension names and labels in `header` with the manifest's.
  void apply(RunHeader& header) const;
};

/// A manifest with all references resolved and all components made.
struct MIXWELL_EXPORT Composition {
  std::string name;  ///< stem of the manifest's file name
  RunSettings run;
  std::shared_ptr<const Compositor> compositor;
  std::vector<std::shared_ptr<const Recorder>> recorders;  ///< the first recorder writes draws.nc
  /// The manifest as TOML with every default filled in. A run of it gives the same draws as a run
  /// of the given manifest, bit for bit.
  std::string effective_manifest;
  /// The manifest as given, with its overrides and without defaults.
  std::shared_ptr<const ManifestText> given;
  /// All components in use, by kind, then name.
  std::vector<std::shared_ptr<const Component>> components;
  /// Libraries of all components in use.
  std::vector<std::string> libraries;
  /// The publications of the components in use, in this order: kernels, compositor, integrators,
  /// oracles, estimators, and components of the kind `steps`. Each pair consists of a name,
  /// such as "kernel nuts", and the first of the component's Description::sources.
  std::vector<std::pair<std::string, std::string>> sources;
  /// Data files that were read.
  std::vector<std::string> files;
  /// Remarks about the manifest or the data, one sentence each.
  std::vector<std::string> remarks;
  RecordedDims dims;
  /// The processes among which run.ranks divides data or coordinates. Null if run.ranks is
  /// "replicates".
  std::shared_ptr<Portions> division;
  std::shared_ptr<const Model> model() const;
  /// Returns the current Model::remarks of all models in use, each with the name of its model.
  std::vector<std::string> remarks_of_models() const;
};

/// Returns which of the groups log_likelihood and posterior_predictive a run records. Pass the
/// result to compose().
MIXWELL_EXPORT std::vector<RecordGroup> recorded_cases(const RunSettings& settings);

/// A change to a manifest, as in `--set kernel.hmc.steps=5`: a dotted key and a TOML value (a bare
/// word is a string).
struct Override {
  /// `remove` deletes the component, or the key of a component, that `key` names. The component
  /// must exist. `clear` does the same, but the component may be missing.
  enum class Effect { set, remove, clear };

  std::string key;
  std::string value;
  Location where{};  ///< where the change is written; empty for `--set`
  Effect effect = Effect::set;
};

/// Reads and checks a manifest, makes its components and connects them. Throws InputError if the
/// manifest is invalid. The message states file:line:column, the key, its value, the rule that
/// it breaks and the nearest valid choice. `*ranks` represents the processes among which run.ranks
/// divides data or coordinates, and must outlive the composition. If `ranks` is null, there is only
/// this process.
MIXWELL_EXPORT Composition load_manifest(const std::string& path, const Registry& registry,
                                         const std::vector<Override>& overrides = {},
                                         Ranks* ranks = nullptr);
/// Like load_manifest(), but the manifest is the string `text`. Error messages show `path`, and the
/// run is named after it. Relative file names are first searched for in its folder.
MIXWELL_EXPORT Composition parse_manifest(const std::string& text, const std::string& path,
                                          const Registry& registry,
                                          const std::vector<Override>& overrides = {},
                                          Ranks* ranks = nullptr);

/// Returns the JSON schema (draft 2020-12) for manifests. The schema is made from the registered
/// declarations.
MIXWELL_EXPORT std::string manifest_schema(const Registry& registry);

}  // namespace mixwell
