// Expands a study file into its cells.
// SPDX-License-Identifier: Apache-2.0
#include "base/shortened.hpp"
#include "files/json.hpp"
#include "files/reading.hpp"
#include "files/sha256.hpp"
#include "manifest/text.hpp"
#include "study/file.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

namespace mixwell::study {
namespace {

/// A key of [run]: from the tables of the study, else from the base, else nothing.
template <class T>
std::optional<T> run_setting(const StudyFile& study, const std::string& key) {
  auto setting = toml::parse(study.base_text)["run"][key].value_exact<T>();
  for (const Override& change : study.changes) {
    if (change.key != "run." + key) continue;
    if (const auto found = toml::parse("v = " + change.value)["v"].value_exact<T>())
      setting = found;
  }
  return setting;
}

std::vector<std::int64_t> seeds_of(const StudyFile& study) {
  if (!study.seeds.empty()) return study.seeds;
  std::vector<std::int64_t> seeds;
  const std::int64_t first = run_setting<std::int64_t>(study, "seed").value_or(RunSettings().seed);
  for (std::int64_t k = 0; k < std::max<std::int64_t>(1, study.repeats); ++k)
    seeds.push_back(first + k);
  return seeds;
}

template <class T>
std::vector<T> joined(std::vector<T> all, const std::vector<T>& more, const std::vector<T>& rest) {
  all.insert(all.end(), more.begin(), more.end());
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}

/// The limit exists because a table of all cells is read and sorted in memory.
constexpr std::size_t most_cells = 1000000;

class Expander {
 public:
  explicit Expander(const StudyFile& study)
      : study_(study), seeds_(seeds_of(study)), used_(study.exclusions.size()) {}

  std::vector<StudyCell> cells() {
    std::vector<Variant> none(1);
    none.front().name = "base";
    for (const Variant& model : study_.models.empty() ? none : study_.models) {
      for (const Variant& variant : study_.variants.empty() ? none : study_.variants)
        add(model, variant);
    }
    check_exclusions();
    if (cells_.empty())
      throw InputError(
          study_.path +
          ": [[study.exclude]] excludes all cells of the study. Remove some exclusions.");
    return std::move(cells_);
  }

 private:
  void add(const Variant& model, const Variant& variant) {
    StudyCell cell;
    cell.model = model.name;
    cell.variant = variant.name;
    cell.manifest = manifest_of(variant, model);
    cell.changes = joined(study_.changes, model.changes, variant.changes);
    std::vector<AxisGroup> groups = joined(study_.axes, model.axes, variant.axes);
    check_axes(groups, cell);
    if (study_.is_quick) quick_ = joined(study_.quick, model.quick, variant.quick);
    for (const Override& change : quick_) settle(change, groups);
    along(groups, 0, cell, Json::object());
  }

  static std::string manifest_of(const Variant& variant, const Variant& model) {
    const std::string hole = "{model}";
    std::string path = variant.manifest;
    for (auto at = path.find(hole); at != std::string::npos; at = path.find(hole))
      path.replace(at, hole.size(), model.name);
    return path;
  }

  void check_manifest(const StudyCell& cell) const {
    if (cell.manifest.empty()) return;
    const std::string why = why_no_file(cell.manifest);
    if (why.empty()) return;
    const auto variant = std::find_if(study_.variants.begin(), study_.variants.end(),
                                      [&](const Variant& v) { return v.name == cell.variant; });
    throw InputError(
        variant->manifest_at,
        fmt::format("study.variant.{}.manifest: there is no file {} ({}). Correct the path, or "
                    "exclude the cells of this variant with [[study.exclude]].",
                    cell.variant, shortened(cell.manifest, 300), why));
  }

  /// Checks that each key has only one axis, and that a cell has at most one axis of each alias.
  void check_axes(const std::vector<AxisGroup>& groups, const StudyCell& cell) const {
    std::vector<std::string> keys;
    for (const AxisGroup& group : groups) {
      for (const Axis& axis : group) {
        if (std::find(keys.begin(), keys.end(), axis.key) != keys.end())
          throw InputError(
              axis.where, axis.key + ": this key already has an axis. Remove one of the two axes.");
        keys.push_back(axis.key);
      }
    }
    for (const PlacedAlias& alias : study_.aliases) {
      std::vector<std::string> own;
      std::copy_if(keys.begin(), keys.end(), std::back_inserter(own),
                   [&](const std::string& key) { return alias.stands_for(key); });
      if (own.size() < 2) continue;
      throw InputError(
          alias.where,
          fmt::format(
              "study.alias.{}: {} and {} are both axes of {}/{}, but an alias may name only one "
              "axis of a cell. Remove one of the two axes from the alias.",
              alias.name, own[0], own[1], cell.model, cell.variant));
    }
  }

  /// If a change sets the key of an axis, the axis keeps only that value.
  static void settle(const Override& change, std::vector<AxisGroup>& groups) {
    for (AxisGroup& group : groups) {
      for (Axis& axis : group) {
        if (axis.key != change.key) continue;
        for (AxisValue& one : axis.values) one = value_from(change.value);
      }
      drop_repeated_rows(group);
    }
  }

  static void drop_repeated_rows(AxisGroup& group) {
    std::set<std::vector<std::string>> seen;
    AxisGroup kept = group;
    for (Axis& axis : kept) axis.values.clear();
    for (std::size_t k = 0; k < group.front().values.size(); ++k) {
      std::vector<std::string> row;
      for (const Axis& axis : group) row.push_back(axis.values[k].toml);
      if (!seen.insert(row).second) continue;
      for (std::size_t j = 0; j < group.size(); ++j) kept[j].values.push_back(group[j].values[k]);
    }
    group = std::move(kept);
  }

  void along(const std::vector<AxisGroup>& groups, std::size_t depth, const StudyCell& cell,
             const Json& axes) {
    if (depth == groups.size()) {
      finish(cell, axes);
      return;
    }
    const AxisGroup& group = groups[depth];
    for (std::size_t k = 0; k < group.front().values.size(); ++k) {
      StudyCell next = cell;
      Json values = axes;
      for (const Axis& axis : group) {
        next.changes.push_back({axis.key, axis.values[k].toml, axis.where});
        values[axis.key] = axis.values[k].json;
      }
      along(groups, depth + 1, next, values);
    }
  }

  void finish(StudyCell cell, const Json& axes) {
    cell.changes.insert(cell.changes.end(), quick_.begin(), quick_.end());
    const std::string group = group_label(cell.model, cell.variant, axes);
    cell.axes = json_text(axes);
    for (const std::int64_t seed : seeds_) {
      cell.seed = seed;
      cell.label = fmt::format("{}/{}", group, seed);
      if (is_excluded(cell, axes)) continue;
      check_manifest(cell);
      cell.run_seed = study_.pair_random_numbers ? seed : seed_of(cell.label);
      if (!labels_.insert(cell.label).second)
        throw InputError(study_.path + ": two cells have the label " + cell.label +
                         ". Change the values of the axes so that every label is unique.");
      cells_.push_back(cell);
      if (cells_.size() > most_cells)
        throw InputError(
            fmt::format("{}: the study has more than {} cells. Use fewer values or repeats, or "
                        "split the study into several studies.",
                        study_.path, most_cells));
    }
  }

  bool is_excluded(const StudyCell& cell, Json axes) {
    if (study_.exclusions.empty()) return false;
    axes.update({{"variant", cell.variant}, {"model", cell.model}, {"seed", cell.seed}});
    bool excluded = false;
    for (std::size_t k = 0; k < study_.exclusions.size(); ++k) {
      if (!agrees(study_.exclusions[k], axes)) continue;
      used_[k] = excluded = true;
    }
    return excluded;
  }

  static bool agrees(const Exclusion& exclusion, const Json& here) {
    return std::all_of(exclusion.entries.begin(), exclusion.entries.end(), [&](const auto& entry) {
      const auto& [key, values] = entry;
      return std::find(values.begin(), values.end(), here.value(key, Json())) != values.end();
    });
  }

  /// Does not check a quick study. A quick study has only one seed, so some exclusions may exclude
  /// no cell of it.
  void check_exclusions() const {
    if (study_.is_quick) return;
    for (std::size_t k = 0; k < study_.exclusions.size(); ++k) {
      if (used_[k]) continue;
      throw InputError(
          study_.exclusions[k].where,
          "study.exclude: this table excludes no cell. Correct the values or remove the table.");
    }
  }

  const StudyFile& study_;
  std::vector<std::int64_t> seeds_;
  std::vector<StudyCell> cells_;
  std::set<std::string> labels_;
  std::vector<bool> used_;
  std::vector<Override> quick_;  ///< quick changes for the current model and variant
};

}  // namespace

std::string instruction_set_of(const StudyFile& study) {
  return run_setting<std::string>(study, "isa").value_or("");
}

std::vector<StudyCell> expand(const StudyFile& study) { return Expander(study).cells(); }

std::string group_label(const std::string& model, const std::string& variant, const Json& axes) {
  std::string text;
  for (const auto& [key, value] : axes.items()) {
    const std::string plain = value.is_string() ? value.get<std::string>() : json_text(value);
    text += (text.empty() ? "/" : ",") + key + "=" + plain;
  }
  return model + "/" + variant + text;
}

std::string location_of(const StudyCell& cell) {
  return json_text(
      {{"model", cell.model}, {"variant", cell.variant}, {"axes", parse_json(cell.axes)}});
}

std::vector<Override> changes_with(const StudyFile& study, const StudyCell& cell,
                                   const std::vector<Override>& more, std::int64_t seed) {
  std::vector<Override> changes = cell.changes;
  changes.insert(changes.end(), more.begin(), more.end());
  changes.push_back({"run.seed", std::to_string(seed), {study.path, 0, 0}});
  return changes;
}

std::int64_t seed_of(const std::string& text) {
  return static_cast<std::int64_t>(std::stoull(sha256(text).substr(0, 13), nullptr, 16));
}

}  // namespace mixwell::study

namespace mixwell {

std::vector<StudyCell> study_cells(const std::string& path, bool quick) {
  return study::expand(study::read_study_file(path, quick));
}

}  // namespace mixwell
