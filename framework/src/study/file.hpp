// A study file as read: its base, axes, variants and settings, and where each thing stands.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/lab/manifest.hpp>
#include <mixwell/lab/study.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mixwell::study {

using Json = nlohmann::ordered_json;

/// A value as TOML text, for manifests, and as JSON, for tables.
struct AxisValue {
  std::string toml;
  Json json;
};

/// A dotted key and the values it takes one after another.
struct Axis {
  std::string key;
  std::vector<AxisValue> values;
  Location where;
};

/// Axes that advance together; all have the same number of values.
using AxisGroup = std::vector<Axis>;

/// What tuning chooses for one key: a value of a list, or a number of a range.
struct TuneKey {
  std::string key;
  std::vector<AxisValue> values;  ///< empty for a range
  double from = 0.0;
  double to = 1.0;
  bool log = false;
  bool integer = false;
  Location where;
};

/// `[study.variant.NAME]` or `[study.model.NAME]`.
struct Variant {
  std::string name;
  std::string manifest;  ///< instead of the base; "{model}" stands for the model's name
  Location manifest_at;
  std::vector<Override> changes;
  std::vector<AxisGroup> axes;
  std::vector<TuneKey> tune;
  std::vector<Override> quick;  ///< of the short form, after those of all cells
};

/// `[[study.exclude]]`: a cell that agrees with every entry is left out. Keys: variant, model, seed
/// and axes; each with the values (as JSON) it may have.
struct Exclusion {
  std::map<std::string, std::vector<Json>> entries;
  Location where;
};

/// With the place of its name.
struct PlacedAlias : AxisAlias {
  Location where;
};

struct TuneSettings {
  double gradients = 0.0;
  std::string objective = "min_ess_per_gradient";
  std::int64_t seed = 0;
  std::int64_t candidates = 16;
  std::int64_t rungs = 3;
  std::vector<TuneKey> keys;
};

struct StudyFile {
  std::string path;
  std::string name;       ///< stem of the file
  std::string base_path;  ///< of the base manifest; `path` itself without one
  std::string base_text;
  std::string base;               ///< as named in the file
  std::vector<Override> changes;  ///< of the study file's own tables
  std::vector<Variant> models;
  std::vector<Variant> variants;
  std::vector<AxisGroup> axes;
  std::vector<Override> quick;  ///< last changes of all cells; empty unless asked for
  bool is_quick = false;
  std::vector<PlacedAlias> aliases;
  std::vector<Exclusion> exclusions;
  std::vector<std::int64_t> seeds;
  std::int64_t repeats = 0;
  bool pair_random_numbers = false;
  std::string keep = "draws";
  std::string framework = "hash";
  std::optional<double> cell_seconds;
  std::optional<double> memory;  ///< MiB a worker
  std::int64_t threads = 1;
  double disk_wait = 600.0;
  double dead_after = 120.0;                      ///< seconds
  std::map<std::string, std::string> references;  ///< path by name of the model; "" = of all
  std::string reference_variant;                  ///< whose draws are the reference; "" = none
  std::optional<TuneSettings> tune;
  std::vector<PaperFigure> paper;
};

/// Reads and checks a study file and reads the text of its base; `quick` as its table [study.quick]
/// says, with only the first seed. Throws InputError.
StudyFile read_study_file(const std::string& path, bool quick = false);

/// A value from its TOML text.
AxisValue value_from(const std::string& toml);

/// All axes of the study in order of appearance, those of its variants and models included.
std::vector<std::string> axis_keys(const StudyFile& study);

}  // namespace mixwell::study
