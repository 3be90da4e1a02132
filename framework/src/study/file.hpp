// A study file as read, and the cells and the candidates of tunings that it means.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
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

/// MODEL/VARIANT/KEY=VALUE,...: the label of cells, without the seed.
std::string group_label(const std::string& model, const std::string& variant, const Json& axes);

/// Models, then variants, then axes in the order of the file, seeds innermost; without the excluded
/// ones. Throws InputError for a study without cells, an exclusion that excludes none, and for two
/// cells of one label.
std::vector<StudyCell> expand(const StudyFile& study);

/// What the cells that differ only in the seed have in common, as JSON: {"model", "variant",
/// "axes"}. Seeds of tuning come from it.
std::string place_of(const StudyCell& cell);

/// All changes that make the manifest of a cell, or one like it with `more` of them and another
/// seed: its own, then `more`, then `seed` as run.seed.
std::vector<Override> changes_with(const StudyFile& study, const StudyCell& cell,
                                   const std::vector<Override>& more, std::int64_t seed);

/// A seed of its own for each text, below 2^53 so that every reader of JSON keeps it.
std::int64_t seed_of(const std::string& text);

// Fair tuning: every variant chooses its own values on the same budget of gradients.

/// What a variant (on a model, at one point of the axes) may choose.
std::vector<TuneKey> tune_keys(const StudyFile& study, const StudyCell& cell);

/// Candidates 0, 1, ... of a tuning: point k of the additive recurrence frac(o + k a) in the unit
/// cube of n keys, a_j = x^-(j+1) with x^(n+1) = x + 1 (a low-discrepancy sequence), o from `text`.
/// A list takes its share of [0, 1) for each value.
MIXWELL_EXPORT std::vector<AxisValue> candidate(const std::vector<TuneKey>& keys, std::int64_t k,
                                                const std::string& text);

/// What sets the keys to these values.
std::vector<Override> changes_to(const std::vector<TuneKey>& keys,
                                 const std::vector<AxisValue>& values);

/// Successive halving: how many candidates each rung tries. The number falls by
/// candidates^(1 / rungs) from rung to rung.
MIXWELL_EXPORT std::vector<std::int64_t> rungs(const TuneSettings& settings);

/// The budget of a trial in rung r, in gradients: every rung has the same share of what is left
/// when those before it have spent so much, so that what one overdraws the next ones save.
MIXWELL_EXPORT double budget_of_trial(const TuneSettings& settings, std::size_t rung, double spent);

/// Indices of the best `count` scores (NaN is worst), best first; of equals the first.
MIXWELL_EXPORT std::vector<std::int64_t> best(
    const std::vector<std::pair<std::int64_t, double>>& scores, std::int64_t count);

}  // namespace mixwell::study
