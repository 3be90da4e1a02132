// From a manifest file to components wired together.
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

/// What a manifest says of the dimensions of what its model records: names by variable, and labels
/// by dimension, which take the place of the model's own.
struct MIXWELL_EXPORT RecordedDims {
  std::map<std::string, std::vector<std::string>> dims;
  std::map<std::string, std::vector<std::string>> coords;

  /// Into columns, data and labels of a header that has the model's.
  void apply(RunHeader& header) const;
};

/// A manifest with every reference resolved and every component made.
struct MIXWELL_EXPORT Composition {
  std::string name;  ///< stem of the manifest's file
  RunSettings run;
  std::shared_ptr<const Compositor> compositor;
  std::vector<std::shared_ptr<const Recorder>> recorders;  ///< the first writes draws.nc
  /// TOML with every default filled in; running it again gives the same bits.
  std::string effective_manifest;
  /// The manifest as it was given, with its overrides and without defaults.
  std::shared_ptr<const ManifestText> given;
  /// All components in use, by kind, then name.
  std::vector<std::shared_ptr<const Component>> components;
  /// Libraries of all components in use.
  std::vector<std::string> libraries;
  /// Of the kernels, compositor, integrators, oracles, estimators and rules of steps in use, in
  /// this order: "kernel nuts", and the first of its Description::sources.
  std::vector<std::pair<std::string, std::string>> sources;
  /// Data files that were read.
  std::vector<std::string> files;
  /// Remarks about the manifest or the data, a sentence each.
  std::vector<std::string> remarks;
  RecordedDims dims;
  /// The processes that divide data or coordinates; null where run.ranks is "replicates".
  std::shared_ptr<Portions> division;
  std::shared_ptr<const Model> model() const;
  /// Model::remarks of all models in use, as they are now, each with the name of its model.
  std::vector<std::string> remarks_of_models() const;
};

/// The groups of cases that a run records, for compose().
MIXWELL_EXPORT std::vector<RecordGroup> recorded_cases(const RunSettings& settings);

/// `--set kernel.hmc.steps=5`: dotted key and TOML value (a bare word counts as text).
struct Override {
  /// `remove` takes away what the key names, a component or one of its keys, which must be there;
  /// `clear` takes it away if it is there.
  enum class Effect { set, remove, clear };

  std::string key;
  std::string value;
  Location where{};  ///< where it is written, if not on the command line
  Effect effect = Effect::set;
};

/// Reads, checks, makes and wires. Throws InputError naming file:line:column, key, value, rule and
/// the nearest valid choice. `ranks`: the processes among which run.ranks divides data or
/// coordinates, which outlive the composition; null: all are here.
MIXWELL_EXPORT Composition load_manifest(const std::string& path, const Registry& registry,
                                         const std::vector<Override>& overrides = {},
                                         Ranks* ranks = nullptr);
/// The same from text; `path` serves messages, the run's name and relative files.
MIXWELL_EXPORT Composition parse_manifest(const std::string& text, const std::string& path,
                                          const Registry& registry,
                                          const std::vector<Override>& overrides = {},
                                          Ranks* ranks = nullptr);

/// JSON schema (draft 2020-12) of manifests, from the registered declarations.
MIXWELL_EXPORT std::string manifest_schema(const Registry& registry);

}  // namespace mixwell
