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

  /// Changes the columns, data and labels of a header from those of the model to these.
  void apply(RunHeader& header) const;
};

/// A manifest with all references resolved and all components made.
struct MIXWELL_EXPORT Composition {
  std::string name;  ///< stem of the manifest's file name
  RunSettings run;
  std::shared_ptr<const Compositor> compositor;
  std::vector<std::shared_ptr<const Recorder>> recorders;  ///< the first writes draws.nc
  /// TOML with every default filled in. Running it again gives the same bits.
  std::string effective_manifest;
  /// The manifest as given, with its overrides and without defaults.
  std::shared_ptr<const ManifestText> given;
  /// All components in use, by kind, then name.
  std::vector<std::shared_ptr<const Component>> components;
  /// Libraries of all components in use.
  std::vector<std::string> libraries;
  /// The publications of the kernels, compositor, integrators, oracles, estimators and rules of
  /// steps in use, in this order. Each has a name such as "kernel nuts", and the first of the
  /// component's Description::sources.
  std::vector<std::pair<std::string, std::string>> sources;
  /// Data files that were read.
  std::vector<std::string> files;
  /// Remarks about the manifest or the data, one sentence each.
  std::vector<std::string> remarks;
  RecordedDims dims;
  /// The processes that divide data or coordinates. Null if run.ranks is "replicates".
  std::shared_ptr<Portions> division;
  std::shared_ptr<const Model> model() const;
  /// Current Model::remarks of all models in use, each with the name of its model.
  std::vector<std::string> remarks_of_models() const;
};

/// The groups with numbers for each case that a run records. Pass them to compose().
MIXWELL_EXPORT std::vector<RecordGroup> recorded_cases(const RunSettings& settings);

/// A change of a manifest, as in `--set kernel.hmc.steps=5`: a dotted key and a TOML value (a bare
/// word is a text).
struct Override {
  /// `remove` deletes the component or the component's key that `key` names, which must exist.
  /// `clear` deletes it only if it exists.
  enum class Effect { set, remove, clear };

  std::string key;
  std::string value;
  Location where{};  ///< place of the change, if it is not on the command line
  Effect effect = Effect::set;
};

/// Reads and checks a manifest, makes its components and connects them. Throws InputError with
/// file:line:column, key, value, rule and the nearest valid choice. `ranks` are the processes among
/// which run.ranks divides data or coordinates. This object must outlive the composition. Null
/// means that there is only this process.
MIXWELL_EXPORT Composition load_manifest(const std::string& path, const Registry& registry,
                                         const std::vector<Override>& overrides = {},
                                         Ranks* ranks = nullptr);
/// Does the same with a text. `path` is used for messages, the run's name and relative file names.
MIXWELL_EXPORT Composition parse_manifest(const std::string& text, const std::string& path,
                                          const Registry& registry,
                                          const std::vector<Override>& overrides = {},
                                          Ranks* ranks = nullptr);

/// Returns the JSON schema (draft 2020-12) of manifests, made from the registered declarations.
MIXWELL_EXPORT std::string manifest_schema(const Registry& registry);

}  // namespace mixwell
