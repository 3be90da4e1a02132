// Reads a study file: its base, axes, variants and settings, with the location of each.
// SPDX-License-Identifier: Apache-2.0
#include "study/file.hpp"

#include "files/file_finder.hpp"
#include "files/json.hpp"
#include "files/reading.hpp"
#include "files/toml_file.hpp"
#include "manifest/text.hpp"
#include "manifest/values.hpp"
#include "study/task.hpp"

#include <mixwell/lab/sampler.hpp>

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

namespace mixwell::study {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> table_keys = {"variant", "model",     "axes",  "zip",
                                             "alias",   "exclude",   "paper", "tune",
                                             "seeds",   "reference", "quick"};

Json json_of(const toml::node& node) {
  if (const auto* const value = node.as_string()) return **value;
  if (const auto* const value = node.as_integer()) return **value;
  if (const auto* const value = node.as_boolean()) return **value;
  if (const auto* const value = node.as_floating_point()) return **value;
  if (const toml::array* const list = node.as_array()) {
    Json all = Json::array();
    for (const toml::node& item : *list) all.push_back(json_of(item));
    return all;
  }
  if (const toml::table* const table = node.as_table()) {
    Json all = Json::object();
    for (const auto& [key, item] : *table) all[std::string(key.str())] = json_of(item);
    return all;
  }
  return value_text(node);
}

AxisValue value_of(const toml::node& node) { return {value_text(node), json_of(node)}; }

/// One entry of a table with its dotted key.
struct TableEntry {
  std::string name;
  const toml::key& key;
  const toml::node& node;
};

/// The entries in the order of the file. toml++ would sort the keys.
std::vector<TableEntry> entries(const toml::table& table, const std::string& prefix) {
  std::multimap<std::pair<unsigned, unsigned>, TableEntry> placed;
  for (const auto& [key, node] : table) {
    const toml::source_position begin = key.source().begin;
    placed.emplace(std::pair(begin.line, begin.column),
                   TableEntry{prefix + std::string(key.str()), key, node});
  }
  std::vector<TableEntry> all;
  for (auto& [place, entry] : placed) all.push_back(std::move(entry));
  return all;
}

bool is_list(const toml::node& node) { return node.is_array(); }
bool is_no_table(const toml::node& node) { return !node.is_table(); }
bool is_choice(const toml::node& node) {
  return node.is_array() || (node.is_table() && node.as_table()->contains("from"));
}

/// Adds the names of all top-level tables of a manifest to `others`.
std::vector<std::string> with_manifest_tables(std::vector<std::string> others) {
  others.emplace_back("run");
  for (const Kind kind : all_kinds) others.emplace_back(to_string(kind));
  return others;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class StudyReader {
 public:
  StudyReader(const std::string& path, bool quick)
      : wants_quick_(quick),
        text_(read_toml_text(path, "study")),
        root_(parse_toml(text_, path)),
        places_("mixwell = 1\n", path, {}),
        files_(path) {
    study_.path = path;
    study_.name = fs::path(path).stem().string();
  }

  StudyFile read() {
    check_top();
    const toml::node* const node = root_.get("study");
    if (node == nullptr || !node->is_table()) {
      throw InputError({study_.path, 1, 1},
                       "a study file needs a table [study]. Add this table. If the file "
                       "is a manifest, use `mixwell run` instead.");
    }
    read_settings(*node->as_table());
    read_changes(root_, {"mixwell", "study"}, study_.changes);
    study_.models = variants(node->as_table()->get("model"), "study.model");
    study_.variants = variants(node->as_table()->get("variant"), "study.variant");
    read_axes(*node->as_table(), "study", study_.axes);
    read_aliases(node->as_table()->get("alias"));
    read_seeds(*node->as_table());
    read_quick(node->as_table()->get("quick"));
    read_reference(*node->as_table());
    read_tune(node->as_table()->get("tune"));
    read_exclusions(node->as_table()->get("exclude"));
    read_paper(node->as_table()->get("paper"));
    read_base();
    return std::move(study_);
  }

 private:
  Location at(const toml::node& node) const { return places_.at("", node.source()); }
  Location at(const toml::key& key) const { return places_.at("", key.source()); }

  [[noreturn]] void fail(const Location& where, const std::string& message) const {
    throw InputError(where, message);
  }

  void check_top() const {
    const toml::node* const format = root_.get("mixwell");
    if (format == nullptr || format->value_exact<std::int64_t>() != 1) {
      fail({study_.path, 1, 1},
           "the format version is missing or unknown. Write the line `mixwell = 1` at the top.");
    }
  }

  const toml::table& table(const toml::node& node, const std::string& key) const {
    if (!node.is_table()) {
      fail(at(node),
           fmt::format("{} = {}: must be a table (got {})", key, shown(node), type_name(node)));
    }
    return *node.as_table();
  }

  const toml::array& list(const toml::node& node, const std::string& key) const {
    if (!node.is_array()) {
      fail(at(node),
           fmt::format("{} = {}: must be a list (got {})", key, shown(node), type_name(node)));
    }
    if (node.as_array()->empty()) fail(at(node), key + ": must not be empty");
    return *node.as_array();
  }

  std::string text(const toml::node& node, const std::string& rule) const {
    if (!node.is_string()) fail(at(node), rule);
    return **node.as_string();
  }

  /// Reads the fields of a table. `also`: further keys that the table may have.
  void assign_all(const Fields& fields, const toml::table& table, const std::string& path,
                  const std::vector<std::string>& also) const {
    check_keys(table, fields, path, places_, also);
    for (const Field& field : fields.all()) {
      const std::string dotted = path + "." + field.key();
      if (const toml::node* const node = table.get(field.key())) {
        assign(field, *node, dotted, {places_, files_});
      } else if (field.is_required()) {
        fail(places_.at("", table.source()), fmt::format("[{}] needs the key \"{}\" ({}: {})", path,
                                                         field.key(), field.type(), field.help()));
      }
    }
  }

  void read_settings(const toml::table& table) {
    Fields fields;
    fields.text("base", study_.base).file();
    fields.integer("repeats", study_.repeats).at_least(1).at_most(1e6);
    fields.flag("pair_random_numbers", study_.pair_random_numbers);
    fields.text("reference_variant", study_.reference_variant);
    fields.text("keep", study_.keep).one_of({"draws", "summary"});
    fields.text("framework", study_.framework).one_of({"hash", "version"});
    fields.number("cell_seconds", study_.cell_seconds).above(0);
    fields.number("memory", study_.memory).above(0);
    fields.integer("threads", study_.threads).at_least(1).at_most(most_threads());
    fields.number("disk_wait", study_.disk_wait).at_least(0);
    fields.number("dead_after", study_.dead_after).at_least(1);
    assign_all(fields, table, "study", table_keys);
  }

  void read_base() {
    study_.base_path = study_.base.empty() ? study_.path : study_.base;
    study_.base_text =
        study_.base.empty() ? "mixwell = 1\n" : read_toml_text(study_.base, "manifest");
  }

  /// Reads the tables of components and [run] as changes to a manifest. A table with `use` replaces
  /// the component of the same name. A table without `use` changes keys of that component.
  void read_changes(const toml::table& tables, const std::vector<std::string>& others,
                    std::vector<Override>& changes) const {
    for (const auto& [key, node] : tables) {
      const std::string name(key.str());
      if (contains(others, name)) continue;
      if (name == "run") {
        for (const auto& [k, value] : table(node, name)) set(changes, "run", k, value);
      } else if (kind_from(name)) {
        for (const auto& [k, part] : table(node, name)) {
          component(changes, name + "." + std::string(k.str()), table(part, name + "..."), k);
        }
      } else {
        fail(at(key), fmt::format("unknown key \"{}\"{}", name,
                                  suggestion(name, with_manifest_tables(others))));
      }
    }
  }

  void component(std::vector<Override>& changes, const std::string& path, const toml::table& keys,
                 const toml::key& name) const {
    if (keys.contains("use")) {
      changes.push_back({path, "", at(name), Override::Effect::clear});
      changes.push_back({path + ".use", value_text(*keys.get("use")), at(*keys.get("use"))});
    }
    for (const auto& [key, value] : keys) {
      if (key.str() != "use") set(changes, path, key, value);
    }
  }

  void set(std::vector<Override>& changes, const std::string& path, const toml::key& key,
           const toml::node& value) const {
    changes.push_back({path + "." + std::string(key.str()), value_text(value), at(key)});
  }

  std::vector<Variant> variants(const toml::node* node, const std::string& path) const {
    std::vector<Variant> found;
    if (node == nullptr) return found;
    for (const TableEntry& entry : entries(table(*node, path), path + "."))
      found.push_back(variant(entry.key, entry.node, entry.name));
    return found;
  }

  Variant variant(const toml::key& key, const toml::node& node, const std::string& path) const {
    Variant made;
    made.name = key.str();
    if (made.name.empty() || made.name.find_first_of("/ ,=") != std::string::npos) {
      fail(at(key), fmt::format("the name \"{}\" must not be empty and must not contain \"/\", "
                                "\",\", \"=\" or a space. Choose another name.",
                                made.name));
    }
    const toml::table& keys = table(node, path);
    if (const toml::node* const removed = keys.get("remove")) {
      for (const toml::node& item : list(*removed, path + ".remove"))
        made.changes.push_back({text(item, path + ".remove: must list components as \"KIND.NAME\""),
                                "", at(item), Override::Effect::remove});
    }
    read_manifest(keys.get("manifest"), path, made);
    read_changes(keys, {"manifest", "remove", "axes", "zip", "tune", "quick"}, made.changes);
    read_axes(keys, path, made.axes);
    if (const toml::node* const tune = keys.get("tune")) read_tune_keys(*tune, path, made.tune);
    if (const toml::node* const quick = keys.get("quick"))
      read_changes(table(*quick, path + ".quick"), {}, made.quick);
    return made;
  }

  void read_manifest(const toml::node* node, const std::string& path, Variant& made) const {
    if (node == nullptr) return;
    if (!path.starts_with("study.variant."))
      fail(at(*node), path +
                          ".manifest: only a variant can have its own manifest. Move the key to a "
                          "variant.");
    if (!study_.base.empty()) {
      fail(at(*node),
           path + ".manifest: `study.base` also sets the manifest. Remove one of the two keys.");
    }
    made.manifest = (fs::path(study_.path).parent_path() /
                     text(*node, path + ".manifest: must be the path of a manifest"))
                        .string();
    made.manifest_at = at(*node);
  }

  /// The leaves of nested tables, with dotted keys. Keys may also be dotted in quotes.
  std::vector<TableEntry> leaves(const toml::table& from, bool (*is_leaf)(const toml::node&),
                                 const std::string& prefix = "") const {
    std::vector<TableEntry> all;
    for (const TableEntry& entry : entries(from, prefix)) {
      if (is_leaf(entry.node)) {
        all.push_back(entry);
      } else if (const toml::table* const nested = entry.node.as_table()) {
        for (const TableEntry& one : leaves(*nested, is_leaf, entry.name + ".")) all.push_back(one);
      } else {
        fail(at(entry.node), fmt::format("{} = {}: must be a list of values (got {})", entry.name,
                                         shown(entry.node), type_name(entry.node)));
      }
    }
    return all;
  }

  void check_axis_key(const std::string& key, const Location& where) const {
    const std::string kind = key.substr(0, key.find('.'));
    const std::vector<std::string> known = with_manifest_tables({});
    if (!contains(known, kind)) {
      fail(where,
           fmt::format(
               "{}: must have the form KIND.NAME.KEY or run.KEY. The kind \"{}\" is unknown{}", key,
               kind, suggestion(kind, known)));
    }
    const auto dots = std::count(key.begin(), key.end(), '.');
    if (dots < (kind == "run" ? 1 : 2))
      fail(where, key + ": must have the form KIND.NAME.KEY or run.KEY");
    if (key == "run.seed") {
      fail(
          where,
          "run.seed: the seed cannot be an axis. Set `seeds = [...]` or `repeats = N` in [study].");
    }
  }

  /// An axis of a zip. Its values may repeat, because the other axes of the zip change at the same
  /// time.
  Axis zipped_axis(const TableEntry& entry) const {
    Axis made{entry.name, {}, at(entry.key)};
    check_axis_key(entry.name, made.where);
    for (const toml::node& item : list(entry.node, entry.name))
      made.values.push_back(value_of(item));
    return made;
  }

  Axis axis(const TableEntry& entry) const {
    Axis made = zipped_axis(entry);
    std::set<Json> seen;
    for (const toml::node& item : *entry.node.as_array()) {
      if (!seen.insert(json_of(item)).second)
        fail(at(item), fmt::format("{} = {}: this value is given twice. Remove one of the two.",
                                   entry.name, shown(item)));
    }
    return made;
  }

  void read_axes(const toml::table& keys, const std::string& path,
                 std::vector<AxisGroup>& groups) const {
    if (const toml::node* const grid = keys.get("axes"))
      for (const TableEntry& entry : leaves(table(*grid, path + ".axes"), is_list))
        groups.push_back({axis(entry)});
    if (const toml::node* const zips = keys.get("zip"))
      for (const toml::node& item : list(*zips, path + ".zip"))
        groups.push_back(zipped_axes(item, path + ".zip"));
  }

  AxisGroup zipped_axes(const toml::node& item, const std::string& path) const {
    AxisGroup group;
    for (const TableEntry& entry : leaves(table(item, path), is_list)) {
      const Axis& one = group.emplace_back(zipped_axis(entry));
      const Axis& first = group.front();
      if (one.values.size() != first.values.size())
        fail(one.where,
             fmt::format(
                 "{} has {} values, but {} has {}. All lists of a zip must have the same length.",
                 one.key, one.values.size(), first.key, first.values.size()));
    }
    if (group.empty()) fail(at(item), path + ": must not be empty");
    return group;
  }

  void read_aliases(const toml::node* node) {
    if (node == nullptr) return;
    for (const TableEntry& entry : leaves(table(*node, "study.alias"), is_list)) read_alias(entry);
  }

  void read_alias(const TableEntry& entry) {
    const std::string path = "study.alias." + entry.name;
    study_.aliases.push_back({{entry.name, {}}, at(entry.key)});
    check_alias_name(path, study_.aliases.back());
    const std::vector<std::string> known = axis_keys(study_);
    for (const toml::node& item : list(entry.node, path)) {
      const std::string axis =
          text(item, path + ": must be a list of axes, each as \"KIND.NAME.KEY\"");
      check_name(path, "axis", axis, known, at(item));
      check_unnamed(path, axis, at(item));
      study_.aliases.back().axes.push_back(axis);
    }
  }

  /// The alias becomes a column of the table, so its name must differ from existing columns.
  void check_alias_name(const std::string& path, const PlacedAlias& alias) const {
    const auto is_plain = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-'; };
    if (alias.name.empty() || !std::all_of(alias.name.begin(), alias.name.end(), is_plain))
      fail(alias.where, path + ": the name must contain only letters, digits, \"_\" and \"-\"");
    std::vector<std::string> taken = StudyTable().columns();
    taken.insert(taken.end(), summary_metrics.begin(), summary_metrics.end());
    taken.insert(taken.end(), error_metrics.begin(), error_metrics.end());
    if (contains(taken, alias.name) || alias.name.ends_with("_mcse"))
      fail(alias.where,
           path + ": the table already has a column with this name. Choose another name.");
  }

  void check_unnamed(const std::string& path, const std::string& axis,
                     const Location& where) const {
    for (const PlacedAlias& alias : study_.aliases) {
      if (alias.stands_for(axis))
        fail(where, fmt::format("{}: {} already belongs to study.alias.{}. An axis may have only "
                                "one alias. Remove the axis from one of the two aliases.",
                                path, axis, alias.name));
    }
  }

  void read_seeds(const toml::table& keys) {
    const toml::node* const node = keys.get("seeds");
    if (node == nullptr) return;
    if (keys.contains("repeats")) {
      fail(at(*node), "study.seeds: `repeats` also sets the seeds. Remove one of the two keys.");
    }
    std::set<std::int64_t> seen;
    for (const toml::node& item : list(*node, "study.seeds")) {
      const auto seed = item.value_exact<std::int64_t>();
      if (!seed || *seed < 0) {
        fail(at(item), fmt::format("study.seeds: {}: every seed must be an integer of at least 0",
                                   shown(item)));
      }
      if (!seen.insert(*seed).second)
        fail(at(item),
             fmt::format("study.seeds: {} is given twice. Remove one of the two.", *seed));
      study_.seeds.push_back(*seed);
    }
  }

  void read_quick(const toml::node* node) {
    if (node == nullptr && wants_quick_) {
      fail({study_.path, 1, 1},
           "a quick study needs a table [study.quick] with changes to all cells. Add this table, "
           "for example with run.draws = 100.");
    }
    if (node == nullptr) return;
    std::vector<Override> changes;
    read_changes(table(*node, "study.quick"), {}, changes);
    if (!wants_quick_) return;
    study_.is_quick = true;
    study_.quick = std::move(changes);
    study_.name += "-quick";
    study_.repeats = std::min<std::int64_t>(study_.repeats, 1);
    if (!study_.seeds.empty()) study_.seeds = {study_.seeds.front()};
  }

  std::string reference(const toml::node& node, const std::string& key) const {
    const std::string name =
        text(node, fmt::format("{} = {}: must be PATH or a table MODEL = PATH, where PATH is a CSV "
                               "file, a draws.nc file or a run's folder",
                               key, shown(node)));
    const fs::path folder = fs::path(study_.path).parent_path() / name;
    if (fs::is_directory(folder)) return (folder / "draws.nc").lexically_normal().string();
    return files_.find(name, key, at(node)).path;
  }

  void read_reference(const toml::table& table) {
    const toml::node* const node = table.get("reference");
    if (const toml::node* const variant = table.get("reference_variant")) {
      check_name("study.reference_variant", "variant", study_.reference_variant,
                 names(study_.variants), at(*variant));
      if (node != nullptr)
        fail(at(*variant),
             "study.reference_variant: study.reference is also given. Remove one of the two keys.");
    }
    if (node == nullptr) return;
    if (!node->is_table()) {
      study_.references[""] = reference(*node, "study.reference");
      return;
    }
    const std::vector<std::string> known = names(study_.models);
    for (const auto& [key, file] : *node->as_table()) {
      const std::string name(key.str());
      check_name("study.reference", "model", name, known, at(key));
      study_.references[name] = reference(file, "study.reference." + name);
    }
  }

  static std::vector<std::string> names(const std::vector<Variant>& all) {
    std::vector<std::string> found;
    for (const Variant& one : all) found.push_back(one.name);
    if (found.empty()) found.emplace_back("base");
    return found;
  }

  void check_name(const std::string& path, const std::string& what, const std::string& name,
                  const std::vector<std::string>& known, const Location& where) const {
    if (contains(known, name)) return;
    fail(where, fmt::format("{}: the study has no {} \"{}\"{}", path, what, name,
                            suggestion(name, known)));
  }

  void read_tune(const toml::node* node) {
    if (node == nullptr) {
      for (const Variant& variant : study_.variants) {
        if (!variant.tune.empty()) {
          fail(variant.tune.front().where,
               "a study can tune keys only if it has a table [study.tune] with the key "
               "`gradients` (the budget of each tuning). Add this table.");
        }
      }
      return;
    }
    TuneSettings tune;
    Fields fields;
    fields.number("gradients", tune.gradients)
        .above(0)
        .required()
        .help("tuning budget in gradients, for each combination of variant, model and axis values");
    fields.text("objective", tune.objective)
        .one_of({"min_ess_per_gradient", "mean_ess_per_gradient", "min_ess_per_second"});
    fields.integer("seed", tune.seed).at_least(0);
    fields.integer("candidates", tune.candidates).at_least(2).at_most(100000);
    fields.integer("rungs", tune.rungs).at_least(1).at_most(20);
    assign_all(fields, table(*node, "study.tune"), "study.tune", {"keys"});
    if (const toml::node* const keys = node->as_table()->get("keys"))
      read_tune_keys(*keys, "study.tune", tune.keys);
    study_.tune = std::move(tune);
  }

  void read_tune_keys(const toml::node& node, const std::string& path,
                      std::vector<TuneKey>& keys) const {
    for (const TableEntry& entry : leaves(table(node, path), is_choice)) {
      TuneKey made;
      made.key = entry.name;
      made.where = at(entry.key);
      check_axis_key(made.key, made.where);
      if (entry.node.is_array())
        made.values = axis(entry).values;
      else
        read_range(*entry.node.as_table(), made);
      keys.push_back(std::move(made));
    }
  }

  void read_range(const toml::table& range, TuneKey& made) const {
    std::string scale = "linear";
    Fields fields;
    fields.number("from", made.from).required().help("smallest value");
    fields.number("to", made.to).required().help("largest value");
    fields.text("scale", scale).one_of({"linear", "log"});
    fields.flag("integer", made.integer);
    assign_all(fields, range, made.key, {});
    made.log = scale == "log";
    if (!(made.from < made.to)) fail(at(range), made.key + ": `from` must be below `to`");
    if (made.log && !(made.from > 0))
      fail(at(range), made.key + ": `from` must be above 0 if `scale` is \"log\"");
  }

  void read_exclusions(const toml::node* node) {
    if (node == nullptr) return;
    for (const toml::node& item : list(*node, "study.exclude")) {
      study_.exclusions.push_back({conditions(item, "study.exclude"), at(item)});
      if (study_.exclusions.back().entries.empty())
        fail(at(item),
             "study.exclude: this empty table would exclude every cell. Remove this table.");
    }
  }

  /// The conditions of an exclusion: for each named variant, model, seed or axis, the values that
  /// match.
  std::map<std::string, std::vector<Json>> conditions(const toml::node& item,
                                                      const std::string& path) const {
    std::map<std::string, std::vector<Json>> wanted;
    std::vector<std::string> known = axis_keys(study_);
    known.insert(known.end(), {"variant", "model", "seed"});
    for (const TableEntry& entry : leaves(table(item, path), is_no_table)) {
      check_name(path, "key", entry.name, known, at(entry.key));
      Json values = json_of(entry.node);
      if (!values.is_array()) values = Json::array({values});
      for (const Json& value : values) {
        check_condition(path, entry.name, value, at(entry.node));
        wanted[entry.name].push_back(value);
      }
    }
    return wanted;
  }

  void check_condition(const std::string& path, const std::string& name, const Json& value,
                       const Location& where) const {
    if (name != "variant" && name != "model") return;
    const auto known = names(name == "variant" ? study_.variants : study_.models);
    check_name(path, name, value.is_string() ? value.get<std::string>() : json_text(value), known,
               where);
  }

  void read_paper(const toml::node* node) {
    if (node == nullptr) return;
    for (const toml::node& item : list(*node, "study.paper")) {
      std::string metric, source;
      double value = 0.0;
      Fields fields;
      fields.text("metric", metric).required().help("name of a column in the study's table");
      fields.number("value", value).required().help("the published value");
      fields.text("source", source).required().help("the publication");
      const toml::table& row = table(item, "study.paper");
      assign_all(fields, row, "study.paper", {"where"});
      Json where = Json::object();
      if (const toml::node* const place = row.get("where")) {
        for (const auto& [key, values] : conditions(*place, "study.paper.where"))
          where[key] = values.size() == 1 ? values.front() : Json(values);
      }
      study_.paper.push_back({json_text(where), metric, value, source});
    }
  }

  bool wants_quick_;
  std::string text_;
  toml::table root_;
  ManifestText places_;
  FileFinder files_;
  StudyFile study_;
};

}  // namespace

StudyFile read_study_file(const std::string& path, bool quick) {
  return StudyReader(path, quick).read();
}

AxisValue value_from(const std::string& toml) {
  const toml::table table = toml::parse("value = " + toml);
  return value_of(*table.get("value"));
}

std::vector<std::string> axis_keys(const StudyFile& study) {
  std::vector<std::string> keys;
  const auto append = [&](const std::vector<AxisGroup>& groups) {
    for (const AxisGroup& group : groups) {
      for (const Axis& axis : group) {
        if (std::find(keys.begin(), keys.end(), axis.key) == keys.end()) keys.push_back(axis.key);
      }
    }
  };
  append(study.axes);
  for (const Variant& model : study.models) append(model.axes);
  for (const Variant& variant : study.variants) append(variant.axes);
  return keys;
}

}  // namespace mixwell::study
