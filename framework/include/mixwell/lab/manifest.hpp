// From a manifest file to components wired together.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/error.hpp>
#include <mixwell/export.hpp>
#include <mixwell/kernel.hpp>
#include <mixwell/lab/registry.hpp>
#include <mixwell/recorder.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mixwell {

/// Where the slots start.
struct Init {
  enum class How { model, exact, prior, uniform, file, value };
  How how = How::model;
  double uniform = 2.0;  ///< half-width
  std::string file;      ///< CSV: one row per chain (or a single row), one column per coordinate
  std::vector<double> value;  ///< d numbers, or one for all coordinates
};

/// When a run ends before its last draw; each that is set ends it.
struct StopSettings {
  std::optional<double> gradients;  ///< spent since the start, warm-up included
  std::optional<double> seconds;    ///< likewise
  std::optional<double> min_ess;    ///< smallest ess_bulk of all variables, if it is reliable
  std::optional<double> mcse;       ///< largest mcse_mean / sd of all variables
  /// Sweeps of the sampling phase between looks; the draws are looked at ever more rarely.
  std::int64_t check_every = 100;

  friend bool operator==(const StopSettings&, const StopSettings&) = default;
};

/// `[run]`.
struct RunSettings {
  std::int64_t seed = 1;
  std::int64_t replicates = 4;
  std::int64_t warmup = 1000;
  std::int64_t draws = 1000;
  std::int64_t thin = 1;
  bool record_warmup = false;
  Init init;
  std::vector<std::string> allow;
  /// Columns of a block: part of the problem, since results depend on it in the last bits; a
  /// multiple of 8.
  std::int64_t block_width = 8;
  StopSettings stop;
  /// Seconds between checkpoints; 0 = none, also not when the run is interrupted.
  double checkpoint_seconds = 60.0;
};

/// A manifest with every reference resolved and every component made.
struct MIXWELL_EXPORT Composition {
  std::string name;  ///< stem of the manifest's file
  RunSettings run;
  std::shared_ptr<const Compositor> compositor;
  std::vector<std::shared_ptr<const Recorder>> recorders;  ///< the first writes draws.nc
  /// TOML with every default filled in; running it again gives the same bits.
  std::string effective_manifest;
  /// All components in use, by kind, then name.
  std::vector<std::shared_ptr<const Component>> components;
  /// Libraries of all components in use.
  std::vector<std::string> libraries;
  /// Data files that were read.
  std::vector<std::string> files;
  /// Remarks about the manifest or the data, a sentence each.
  std::vector<std::string> remarks;
  std::shared_ptr<const Model> model() const;
};

/// `--set kernel.hmc.steps=5`: dotted key and TOML value (a bare word counts as text).
struct Override {
  /// `remove` takes away what the key names, a component or one of its keys, which must be there;
  /// `clear` takes it away if it is there.
  enum class How { set, remove, clear };

  std::string key;
  std::string value;
  Location where{};  ///< where it is written, if not on the command line
  How how = How::set;
};

/// Reads, checks, makes and wires. Throws InputError naming file:line:column, key, value, rule and
/// the nearest valid choice.
MIXWELL_EXPORT Composition load_manifest(const std::string& path, const Registry& registry,
                                         const std::vector<Override>& overrides = {});
/// The same from text; `path` serves messages, the run's name and relative files.
MIXWELL_EXPORT Composition parse_manifest(const std::string& text, const std::string& path,
                                          const Registry& registry,
                                          const std::vector<Override>& overrides = {});

/// JSON schema (draft 2020-12) of manifests, from the registered declarations.
MIXWELL_EXPORT std::string manifest_schema(const Registry& registry);

}  // namespace mixwell
