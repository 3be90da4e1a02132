// A study file, its cells, and the candidates of its tunings.
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

/// A value in two forms: as TOML text for manifests, and as JSON for tables.
struct AxisValue {
  std::string toml;
  Json json;
};

/// A dotted key and the values that it takes one after another.
struct Axis {
  std::string key;
  std::vector<AxisValue> values;
  Location where;
};

/// Axes that change at the same time. All have the same number of values.
using AxisGroup = std::vector<Axis>;

/// The possible values of one key in a tuning: a list of values, or a range of numbers.
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
  std::string manifest;  ///< replaces the base; "{model}" stands for the name of the model
  Location manifest_at;
  std::vector<Override> changes;
  std::vector<AxisGroup> axes;
  std::vector<TuneKey> tune;
  std::vector<Override> quick;  ///< changes in a quick study, applied after StudyFile::quick
};

/// `[[study.exclude]]`: excludes every cell that agrees with all entries. A key of an entry is
/// "variant", "model", "seed" or an axis. A cell agrees with an entry if its value is in the list
/// of the entry (JSON).
struct Exclusion {
  std::map<std::string, std::vector<Json>> entries;
  Location where;
};

/// An alias with the location of its name.
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
  std::string name;       ///< file name without extension
  std::string base_path;  ///< path of the base manifest; `path` if there is no base
  std::string base_text;
  std::string base;               ///< the base as named in the file
  std::vector<Override> changes;  ///< from tables of components and [run] in the study file
  std::vector<Variant> models;
  std::vector<Variant> variants;
  std::vector<AxisGroup> axes;
  std::vector<Override> quick;  ///< for all cells, applied last; empty unless `is_quick`
  bool is_quick = false;
  std::vector<PlacedAlias> aliases;
  std::vector<Exclusion> exclusions;
  std::vector<std::int64_t> seeds;
  std::int64_t repeats = 0;
  bool pair_random_numbers = false;
  std::string keep = "draws";
  std::string framework = "hash";
  std::optional<double> cell_seconds;
  std::optional<double> memory;  ///< MiB per worker
  std::int64_t threads = 1;
  double disk_wait = 600.0;
  double dead_after = 120.0;                      ///< seconds
  std::map<std::string, std::string> references;  ///< path by name of the model; "" = all models
  std::string reference_variant;                  ///< name of the variant; "" = none
  std::optional<TuneSettings> tune;
  std::vector<PaperFigure> paper;
};

/// Reads and checks a study file, and reads the text of its base. `quick`: apply the table
/// [study.quick] and keep only the first seed. Throws InputError.
StudyFile read_study_file(const std::string& path, bool quick = false);

/// run.isa of the study file or of its base; "" if neither sets it.
std::string instruction_set_of(const StudyFile& study);

/// Converts a value from its TOML text.
AxisValue value_from(const std::string& toml);

/// All axes of the study in the order of the file, including the axes of its variants and models.
std::vector<std::string> axis_keys(const StudyFile& study);

/// MODEL/VARIANT/KEY=VALUE,...: the label of a cell without the seed.
std::string group_label(const std::string& model, const std::string& variant, const Json& axes);

/// The cells of a study without the excluded ones: ordered by model, then variant, then axes in the
/// order of the file, then seed. Throws InputError if there are no cells, if an exclusion excludes
/// no cell, or if two cells have the same label.
std::vector<StudyCell> expand(const StudyFile& study);

/// The common part of cells that differ only in the seed, as JSON: {"model", "variant", "axes"}.
/// The seeds of tuning are derived from it.
std::string location_of(const StudyCell& cell);

/// All changes that produce the manifest of a cell: its own changes, then `more`, then `seed` as
/// run.seed.
std::vector<Override> changes_with(const StudyFile& study, const StudyCell& cell,
                                   const std::vector<Override>& more, std::int64_t seed);

/// A seed derived from the text. It is below 2^53, so every JSON reader keeps it exactly.
std::int64_t seed_of(const std::string& text);

// Fair tuning: every variant chooses its own values on the same budget of gradients.

/// The keys that a variant tunes (on a model, at one point of the axes).
std::vector<TuneKey> tune_keys(const StudyFile& study, const StudyCell& cell);

/// Candidate k of a tuning: point k of the additive recurrence frac(o + k a) in the unit cube of n
/// keys, where a_j = x^-(j+1) and x^(n+1) = x + 1 (a low-discrepancy sequence). The offset o is
/// derived from `text`. If a key has a list of values, [0, 1) is divided into equal parts, one for
/// each value.
MIXWELL_EXPORT std::vector<AxisValue> candidate(const std::vector<TuneKey>& keys, std::int64_t k,
                                                const std::string& text);

/// The changes that set the keys to these values.
std::vector<Override> changes_to(const std::vector<TuneKey>& keys,
                                 const std::vector<AxisValue>& values);

/// The number of candidates in each rung of successive halving. It decreases by the factor
/// candidates^(1 / rungs) from rung to rung.
MIXWELL_EXPORT std::vector<std::int64_t> rungs(const TuneSettings& settings);

/// The budget of a trial in rung r, in gradients. All remaining rungs get equal shares of the
/// remaining budget. So later rungs compensate if an earlier rung spent too much.
MIXWELL_EXPORT double budget_of_trial(const TuneSettings& settings, std::size_t rung, double spent);

/// Indices of the `count` best scores, best first. NaN is the worst score. Equal scores keep their
/// order.
MIXWELL_EXPORT std::vector<std::int64_t> best(
    const std::vector<std::pair<std::int64_t, double>>& scores, std::int64_t count);

}  // namespace mixwell::study
