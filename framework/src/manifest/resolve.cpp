// From declarations to components: names looked up, parameters checked, references wired.
// SPDX-License-Identifier: Apache-2.0
#include "manifest/resolve.hpp"

#include "base/memory.hpp"
#include "base/present_call.hpp"
#include "base/shortened.hpp"
#include "base/utf8.hpp"
#include "component/article.hpp"
#include "component/places.hpp"
#include "component/toml_text.hpp"
#include "files/netcdf_hash.hpp"
#include "files/sha256.hpp"
#include "kernel/prior_draws.hpp"
#include "law/data_division.hpp"
#include "law/parameter_rules.hpp"
#include "law/position_division.hpp"
#include "law/prior_target.hpp"
#include "manifest/effective.hpp"
#include "manifest/manifest_dims.hpp"
#include "manifest/run_settings.hpp"
#include "manifest/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <iterator>
#include <map>
#include <new>
#include <set>
#include <sstream>
#include <stdexcept>

namespace mixwell {
namespace {

/// What stands in for a compositor, and for the recorder of draws.nc, that a manifest leaves out.
constexpr const char* default_compositor = "chain";
constexpr const char* default_recorder = "netcdf";
/// The compositor whose memory kernels that call others pass on.
constexpr std::string_view default_ensemble = "ensemble-chain";
/// Kinds whose components are published methods.
constexpr std::array methods = {Kind::kernel, Kind::compositor, Kind::integrator,
                                Kind::oracle, Kind::estimator,  Kind::steps};
/// Of cases of the data, where nothing is said of them.
constexpr double most_bytes_of_cases = 256.0 * (1 << 20);

/// A table of keys: that of a component, or one of a list of tables in it.
struct KeyTable {
  std::string path;                          ///< dotted
  const toml::table* table = nullptr;        ///< null where the manifest has none
  std::map<std::string, std::string> texts;  ///< of the keys that the manifest gives, as TOML
  std::set<std::string> changed{};           ///< of those, the ones with another value than usual
};

/// One table of a list of tables.
struct ListedTable {
  Fields fields;
  KeyTable keys;
};

/// A declared component, or a built-in one that stands in for what the manifest left out.
struct Instance {
  Declaration declaration;
  const Entry* entry = nullptr;
  std::unique_ptr<Blueprint> blueprint;
  KeyTable keys;
  std::map<std::string, std::deque<ListedTable>> rows;  ///< by key of a list of tables
  ManifestDims dims;                                    ///< of a model
  const Instance* model = nullptr;                      ///< the first one that its keys refer to
  std::shared_ptr<const Component> made;
};

/// The manifest's places, with what only the registry knows.
class ComposedPlaces final : public Places {
 public:
  ComposedPlaces(std::shared_ptr<const Places> manifest, std::string memory_cure)
      : manifest_(std::move(manifest)), memory_cure_(std::move(memory_cure)) {}

  Named find(const std::string& dotted) const override { return manifest_->find(dotted); }
  bool has(const std::string& dotted) const override { return manifest_->has(dotted); }
  std::string memory_cure(const WithoutMemory& kernel) const override {
    const std::vector<std::string> kernels = kernels_in(kernel.path);
    if (kernels.size() > 1)
      return fmt::format(
          "Kernel `{}` passes on a memory of current points only. Use [compositor.NAME] with use = "
          "{}, memory = \"others\", freeze_after_warmup = false",
          kernels.front(), toml_text(default_ensemble));
    if (kernel.with_history.empty()) return memory_cure_;
    return fmt::format(
        "{}. Where the memory is a history, as for a single chain, kernel `{}` also needs {}",
        memory_cure_, kernel.path, kernel.with_history);
  }

 private:
  /// Of the manifest, from the one that the compositor calls to the one that the others call.
  std::vector<std::string> kernels_in(const std::string& path) const {
    std::vector<std::string> found;
    std::istringstream in(path);
    for (std::string part; std::getline(in, part, '/');)
      if (manifest_->has("kernel." + part)) found.push_back(part);
    return found;
  }

  std::shared_ptr<const Places> manifest_;
  std::string memory_cure_;
};

/// Which compositors lend a memory, and the keys that do so for a single chain.
std::string memory_cure(const Registry& registry) {
  std::vector<std::string> ids;
  std::string of_one;
  for (const Entry& entry : registry.entries()) {
    const Description& about = entry.description;
    if (entry.kind != Kind::compositor || !about.lends_memory) continue;
    ids.push_back(toml_text(about.id));
    if (!about.memory_of_one_chain.empty())
      of_one +=
          fmt::format("; for a single chain: use = {}, {}", ids.back(), about.memory_of_one_chain);
  }
  return fmt::format("Use a compositor that lends a memory: [compositor.NAME] with use = {}{}",
                     fmt::join(ids, " or "), of_one);
}

class Resolver {
 public:
  Resolver(std::shared_ptr<const ManifestText> manifest, const Registry& registry)
      : places_(std::make_shared<ComposedPlaces>(manifest, memory_cure(registry))),
        shared_manifest_(std::move(manifest)),
        manifest_(*shared_manifest_),
        registry_(registry),
        files_(manifest_.path()) {}

  Composition resolve() {
    Composition composition;
    std::vector<EffectiveTable> tables(1);
    composition.run = read_run_settings(source(), tables.front());
    warmup_ = composition.run.warmup;
    samples_prior_ = composition.run.prior;
    if (composition.run.ranks == "data") composition.data = divide_data();
    if (composition.run.ranks == "coordinates") composition.positions = divide_positions();
    const DividingModels dividing(composition.data.get());
    const MakingPortions making(composition.positions);
    for (const Declaration& declaration : manifest_.declarations()) add(declaration);
    composition.compositor = make_as<Compositor>(root());
    refuse_undivided(composition);
    refuse_whole_positions(composition);
    if (samples_prior_) settle_prior(composition, tables.front());
    settle_block_width(composition, tables.front());
    settle_predictive(composition, tables.front());
    for (Instance* recorder : recorders()) {
      composition.recorders.push_back(make_as<Recorder>(*recorder));
    }
    std::vector<std::string> of_runs;
    for (const Instance* instance : in_use()) {
      tables.push_back(effective(*instance));
      if (instance->made == composition.model()) composition.dims = instance->dims.given();
      refuse_idle_dims(*instance, *composition.model());
      composition.components.push_back(instance->made);
      composition.libraries.push_back(instance->entry->library);
      append_files(composition.files, *instance);
      if (instance->entry->kind != Kind::model) append_files(of_runs, *instance);
    }
    const std::vector<std::string>& starts = composition.run.init.files;
    of_runs.insert(of_runs.end(), starts.begin(), starts.end());
    composition.files.insert(composition.files.end(), of_runs.begin(), of_runs.end());
    composition.run.provenance = hash_of(of_runs);
    composition.effective_manifest = effective_text(tables);
    refuse_bytes(composition.effective_manifest);
    composition.given = shared_manifest_;
    composition.sources = sources();
    for (std::string& remark : unused()) composition.remarks.push_back(std::move(remark));
    for (std::string& remark : composition.remarks_of_models())
      composition.remarks.push_back(std::move(remark));
    tidy(composition.libraries);
    tidy(composition.files);
    return composition;
  }

 private:
  ValueSource source() const { return {manifest_, files_}; }

  void settle_block_width(Composition& composition, EffectiveTable& table) const {
    if (manifest_.run().contains("block_width")) return;
    composition.run.block_width =
        default_block_width(whole_of(*composition.model()).dimension(), composition.run.replicates);
    settle(table, "block_width", std::to_string(composition.run.block_width));
  }

  /// What knows nothing of other rows than its own is all that may work on some of them.
  void refuse_whole_positions(const Composition& composition) const {
    if (composition.positions == nullptr) return;
    if (composition.model()->as_portion() == nullptr)
      reject(*manifest_.run().get("ranks"), "run.ranks",
             fmt::format("wants a model that has its coordinates in blocks (docs/clusters.md), "
                         "which [model.{}] has not; take \"replicates\"",
                         composition.model()->name()),
             manifest_);
    for (const Instance* instance : in_use()) {
      const Kind kind = instance->entry->kind;
      if (kind == Kind::model || kind == Kind::recorder || instance->made->divides_rows()) continue;
      reject(*manifest_.run().get("ranks"), "run.ranks",
             fmt::format("[{}], as it is set here, takes the whole position and not some rows of "
                         "it; docs/clusters.md lists what takes rows, or take \"replicates\"",
                         instance->declaration.path()),
             manifest_);
    }
  }

  void refuse_undivided(const Composition& composition) const {
    if (composition.data == nullptr || composition.data->is_held()) return;
    reject(*manifest_.run().get("ranks"), "run.ranks",
           fmt::format("wants a model that is a sum over cases and divides them into shards, which "
                       "[model.{}] does not; take \"replicates\"",
                       composition.model()->name()),
           manifest_);
  }

  static void settle(EffectiveTable& table, const std::string& key, const std::string& value) {
    for (auto& line : table.lines) {
      if (line.key == key) line.value = value;
    }
  }

  /// Draws of the prior need no kernel and no warm-up; of its density alone the composition's own.
  static void settle_prior(Composition& composition, EffectiveTable& table) {
    if (prior_source(*composition.model()) != PriorSource::draws) {
      composition.remarks.emplace_back(
          "run.prior: the density of the prior is sampled by this composition.");
      return;
    }
    composition.compositor = prior_draws(composition.model());
    composition.run.warmup = 0;
    settle(table, "warmup", "0");
    composition.run.record_warmup = false;
    settle(table, "record_warmup", "false");
    composition.remarks.emplace_back(
        "run.prior: the model draws its prior, independently; kernels have no part in it.");
  }

  /// What is read back after the run. Values that a program sets may be any bytes.
  void refuse_bytes(const std::string& effective_manifest) const {
    std::istringstream lines(effective_manifest);
    for (std::string line; std::getline(lines, line);)
      if (!is_utf8(line))
        throw InputError({manifest_.path(), 0, 0},
                         fmt::format("the value in `{}` is not valid UTF-8", shortened(line, 300)));
  }

  /// One group by name, which the model does not have.
  void refuse_idle_predictive(const Composition& composition) const {
    const RunSettings& run = composition.run;
    const bool names_a_group = run.predictive != "all" && run.predictive != "none";
    if (!names_a_group || run.prior || bytes_of_cases(composition) > 0) return;
    reject(
        *manifest_.run().get("predictive"), "run.predictive",
        fmt::format("has no effect here: [model.{}] has nothing in this group. Leave this key out",
                    composition.model()->name()),
        manifest_);
  }

  /// What "auto" stands for here.
  void settle_predictive(Composition& composition, EffectiveTable& table) const {
    RunSettings& run = composition.run;
    if (run.predictive != "auto") return refuse_idle_predictive(composition);
    const double bytes = bytes_of_cases(composition);
    run.predictive = bytes <= most_bytes_of_cases ? "all" : "none";
    settle(table, "predictive", toml_text(run.predictive));
    if (run.predictive == "all") return;
    constexpr double mebibyte = 1 << 20;
    composition.remarks.push_back(fmt::format(
        "run.predictive: what is drawn and computed of each case of the data would take {:.0f} MiB "
        "in draws.nc, more than {:.0f}: it is left out; predictive = \"all\", \"log_likelihood\" "
        "or "
        "\"posterior_predictive\" in [run] records it.",
        bytes / mebibyte, most_bytes_of_cases / mebibyte));
  }

  /// Of the groups of cases in draws.nc.
  static double bytes_of_cases(const Composition& composition) {
    const RunSettings& run = composition.run;
    const std::vector<RecordGroup> groups = recorded_cases(run);
    const std::shared_ptr<const Model> model = composition.model();
    double numbers = 0;
    const auto add = [&](const std::vector<Parameter>& quantities) {
      for (const Parameter& one : quantities)
        if (std::find(groups.begin(), groups.end(), one.group) != groups.end())
          numbers += static_cast<double>(one.size());
    };
    if (model->offers<Derived>() != nullptr) add(model->offers<Derived>()->quantities());
    if (model->offers<Generated>() != nullptr) add(model->offers<Generated>()->generated());
    const std::int64_t draws = run.draws + (run.record_warmup ? run.warmup / run.thin : 0);
    const auto chains = std::ssize(composition.compositor->slots()) * run.replicates;
    return sizeof(double) * numbers * static_cast<double>(draws) * static_cast<double>(chains);
  }

  static void tidy(std::vector<std::string>& paths) {
    std::sort(paths.begin(), paths.end());
    paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
    std::erase(paths, "");
  }

  static std::string hash_of(std::vector<std::string> files) {
    tidy(files);
    if (files.empty()) return {};
    std::string hashes;
    for (const std::string& file : files) hashes += content_sha256(file);
    return sha256(hashes);
  }

  /// What the keys of files name, but for the words that stand for no file.
  static void append_files(std::vector<std::string>& files, const Instance& instance) {
    append_files(files, instance.blueprint->fields());
    for (const auto& [key, rows] : instance.rows) {
      for (const ListedTable& row : rows) append_files(files, row.fields);
    }
    const auto* const model = dynamic_cast<const Model*>(instance.made.get());
    if (model == nullptr) return;
    for (std::string& path : model->files()) files.push_back(std::move(path));
  }

  static void append_files(std::vector<std::string>& files, const Fields& fields) {
    for (const Field& field : fields.all()) {
      if (!field.is_file()) continue;
      std::string path;
      if (const auto* const text = std::get_if<std::string*>(&field.target())) path = **text;
      if (const auto* const text = std::get_if<std::optional<std::string>*>(&field.target()))
        path = (*text)->value_or("");
      const std::vector<std::string>& words = field.choices();
      if (std::find(words.begin(), words.end(), path) == words.end()) files.push_back(path);
    }
  }

  Location place(const KeyTable& keys) const {
    if (keys.table == nullptr) return {manifest_.path(), 0, 0};
    return manifest_.at(keys.path, keys.table->source());
  }
  Location place(const Instance& instance) const { return place(instance.keys); }

  /// Looks up the plugin and binds every value; references wait until the component is made.
  void add(const Declaration& declaration) {
    Instance& instance = instances_.emplace_back();
    instance.declaration = declaration;
    instance.entry = &entry_of(declaration);
    instance.blueprint = instance.entry->blueprint();
    instance.keys = {declaration.path(), declaration.table, {}};
    const bool is_model = declaration.kind == Kind::model;
    bind_values(instance.keys, instance.blueprint->fields(),
                is_model ? std::vector<std::string>{"use", "dims", "coords"}
                         : std::vector<std::string>{"use"});
    if (is_model)
      for (const Field& field : instance.dims.fields()) bind_value(instance.keys, field);
    for (const Field& field : instance.blueprint->fields().all()) {
      const auto* const tables = std::get_if<TableList>(&field.target());
      if (tables != nullptr) add_rows(instance, field, *tables);
    }
  }

  void bind_values(KeyTable& keys, const Fields& fields, const std::vector<std::string>& also) {
    check_keys(*keys.table, fields, keys.path, manifest_, also);
    for (const Field& field : fields.all()) {
      const std::string usual = field.value_text();
      check_alone(keys, field);
      bind_value(keys, field);
      if (field.value_text() != usual) keys.changed.insert(field.key());
    }
  }

  void refuse_idle(const KeyTable& keys, const Fields& fields) const {
    if (keys.table != nullptr)
      mixwell::refuse_idle(*keys.table, fields, keys.changed, keys.path, manifest_);
  }

  void add_rows(Instance& instance, const Field& field, const TableList& tables) {
    const toml::node* const node = instance.keys.table->get(field.key());
    if (node == nullptr) return;
    const std::string key = instance.keys.path + "." + field.key();
    const toml::array* const list = node->as_array();
    if (list == nullptr || list->empty()) {
      reject(*node, key, fmt::format("wants tables [[{}]]", key), manifest_);
    }
    for (const toml::node& item : *list) {
      std::deque<ListedTable>& rows = instance.rows[field.key()];
      ListedTable& row = rows.emplace_back();
      row.keys = {fmt::format("{}[{}]", key, rows.size() - 1), item.as_table(), {}};
      if (row.keys.table == nullptr) {
        reject(item, row.keys.path, fmt::format("wants tables [[{}]]", key), manifest_);
      }
      tables.append(row.fields);
      bind_values(row.keys, row.fields, {});
    }
  }

  void check_alone(const KeyTable& keys, const Field& field) const {
    const toml::table& table = *keys.table;
    const toml::node* const node = table.get(field.key());
    if (node == nullptr || field.replaced().empty() || !table.contains(field.replaced())) return;
    reject(*node, keys.path + "." + field.key(),
           fmt::format("says in other words what `{}` says; give one of the two", field.replaced()),
           manifest_);
  }

  const Entry& entry_of(const Declaration& declaration) const {
    const toml::node* const use = declaration.table->get("use");
    if (use == nullptr) {
      throw InputError(
          manifest_.at(declaration.path(), declaration.table->source()),
          fmt::format("[{}] has no key \"use\", which names the plugin (known: {})",
                      declaration.path(), fmt::join(registry_.ids(declaration.kind), ", ")));
    }
    const std::string key = declaration.path() + ".use";
    if (!use->is_string()) reject(*use, key, "wants a text, the id of a plugin", manifest_);
    return find_entry(declaration.kind, **use->as_string(), manifest_.at(key, use->source()));
  }

  const Entry& find_entry(Kind kind, const std::string& id, const Location& where) const {
    try {
      return registry_.find(kind, id);
    } catch (const InputError& fault) {
      throw InputError(where, fault.what());
    }
  }

  void bind_value(KeyTable& keys, const Field& field) const {
    const bool is_reference = std::holds_alternative<ComponentReference>(field.target());
    const bool is_list = std::holds_alternative<TableList>(field.target());
    const toml::node* const node = keys.table->get(field.key());
    if (node == nullptr && field.is_required() && !is_reference) missing(keys, field);
    if (node == nullptr || is_reference || is_list) return;
    keys.texts[field.key()] = assign(field, *node, keys.path + "." + field.key(), source());
  }

  [[noreturn]] void missing(const KeyTable& keys, const Field& field) const {
    throw InputError(place(keys),
                     fmt::format("[{}] needs the key \"{}\" ({}{}{})", keys.path, field.key(),
                                 field.type(), field.help().empty() ? "" : ": ", field.help()));
  }

  template <class T>
  std::shared_ptr<const T> make_as(Instance& instance) {
    return std::dynamic_pointer_cast<const T>(make(instance));
  }

  std::shared_ptr<const Component> make(Instance& instance) {
    if (instance.made) return instance.made;
    check_cycle(instance);
    stack_.push_back(&instance);
    bind_all_references(instance, instance.keys, instance.blueprint->fields());
    for (auto& [key, rows] : instance.rows) {
      for (ListedTable& row : rows) bind_all_references(instance, row.keys, row.fields);
    }
    stack_.pop_back();
    settle_keys(instance, instance.keys, instance.blueprint->fields());
    for (auto& [key, rows] : instance.rows)
      for (ListedTable& row : rows) settle_keys(instance, row.keys, row.fields);
    const std::shared_ptr<Component> made = construct(instance);
    made->set_name(instance.declaration.name);
    introduce(*made, instance.declaration.path(), words_of(instance));
    set_place(*made, {instance.declaration.path(), places_});
    if (const auto* const model = dynamic_cast<const Model*>(made.get())) {
      check_parameters_of(*model, instance);
      if (instance.declaration.table != nullptr)
        instance.dims.check(arrays_of(*model), model->labels(), *instance.declaration.table,
                            instance.declaration.path(), manifest_);
      check_size(*model, instance);
    }
    return instance.made = made;
  }

  /// What `user` is given: in a run of the prior that of a model, which models of models have of
  /// theirs.
  std::shared_ptr<const Component> made_for(const Instance& user, Instance& target) {
    const std::shared_ptr<const Component> made = make(target);
    const auto model = std::dynamic_pointer_cast<const Model>(made);
    if (!samples_prior_ || model == nullptr || user.entry->kind == Kind::model) return made;
    if (prior_source(*model) == PriorSource::none)
      throw InputError(
          place(target),
          fmt::format("[{}]: run.prior = true, but model `{}` tells its prior neither by draws "
                      "(Prior) nor by a density apart from the likelihood (a DensityModel with "
                      "log_prior): sample its posterior, or write it with a log_prior",
                      target.declaration.path(), target.entry->description.id));
    std::shared_ptr<const Model>& prior = priors_[&target];
    if (!prior) prior = prior_target(model);
    return prior;
  }

  /// What can be said of keys once references are bound.
  void settle_keys(const Instance& instance, const KeyTable& keys, const Fields& fields) const {
    refuse_idle(keys, fields);
    put_numbers_for_labels(instance, keys, fields);
  }

  /// In texts that select coordinates: components know numbers alone, and labels are the model's or
  /// those of its table.
  void put_numbers_for_labels(const Instance& instance, const KeyTable& keys,
                              const Fields& fields) const {
    if (instance.model == nullptr || keys.table == nullptr) return;
    const auto& model = dynamic_cast<const Model&>(*instance.model->made);
    for (const Field& field : fields.all()) {
      if (!field.is_selection() || !keys.table->contains(field.key())) continue;
      std::vector<std::string>& texts = *std::get<std::vector<std::string>*>(field.target());
      for (std::size_t k = 0; k < texts.size(); ++k) {
        try {
          texts[k] = instance.model->dims.by_numbers(model, texts[k]);
        } catch (const InputError& fault) {
          reject(*keys.table->get_as<toml::array>(field.key())->get(k),
                 fmt::format("{}.{}[{}]", keys.path, field.key(), k), fault.what(), manifest_);
        }
      }
    }
  }

  void check_cycle(const Instance& instance) const {
    const auto start = std::find(stack_.begin(), stack_.end(), &instance);
    if (start == stack_.end()) return;
    std::string path;
    for (auto i = start; i != stack_.end(); ++i) path += (*i)->declaration.path() + " -> ";
    throw InputError(place(instance),
                     "references go in a circle: " + path + instance.declaration.path());
  }

  void bind_all_references(Instance& instance, KeyTable& keys, const Fields& fields) {
    for (const Field& field : fields.all()) {
      if (const auto* reference = std::get_if<ComponentReference>(&field.target())) {
        bind_reference(instance, keys, field, *reference);
      }
    }
  }

  void bind_reference(Instance& instance, KeyTable& keys, const Field& field,
                      const ComponentReference& reference) {
    if (reference.many) return bind_references(instance, keys, field, reference);
    Instance* const target = referred(instance, keys, field, reference);
    if (target == nullptr) return;
    reference.bind(made_for(instance, *target));
    if (reference.kind == Kind::model && instance.model == nullptr) instance.model = target;
    const bool is_given = keys.table != nullptr && keys.table->contains(field.key());
    if (is_given && target->entry->description.id != reference.fallback)
      keys.changed.insert(field.key());
    keys.texts[field.key()] = toml_text(target->declaration.name);
  }

  void bind_references(const Instance& instance, KeyTable& keys, const Field& field,
                       const ComponentReference& reference) {
    std::vector<std::string> names;
    for (Instance* target : all_referred(instance, keys, field, reference.kind)) {
      reference.bind(made_for(instance, *target));
      names.push_back(target->declaration.name);
    }
    keys.texts[field.key()] = toml_text(names);
  }

  std::vector<Instance*> all_referred(const Instance& instance, const KeyTable& keys,
                                      const Field& field, Kind kind) {
    const toml::node* const node = keys.table == nullptr ? nullptr : keys.table->get(field.key());
    if (node == nullptr) {
      const std::vector<Instance*> candidates = of_kind(kind, &instance);
      if (candidates.empty()) unresolved(keys, field, kind, candidates);
      return candidates;
    }
    const std::string key = keys.path + "." + field.key();
    if (!node->is_array() || node->as_array()->empty()) {
      reject(*node, key, fmt::format("wants a list of names of {}s", to_string(kind)), manifest_);
    }
    std::vector<Instance*> found;
    for (const toml::node& item : *node->as_array()) found.push_back(&named(item, key, kind));
    return found;
  }

  /// Null for an optional reference to nothing.
  Instance* referred(const Instance& instance, const KeyTable& keys, const Field& field,
                     const ComponentReference& reference) {
    const toml::node* const node = keys.table == nullptr ? nullptr : keys.table->get(field.key());
    if (node != nullptr) {
      Instance& found = named(*node, keys.path + "." + field.key(), reference.kind);
      if (!serves(found, reference)) wrong_purpose(*node, keys, field, found);
      return &found;
    }
    if (reference.optional && keys.texts.contains(field.replaced())) return nullptr;
    std::vector<Instance*> candidates = of_kind(reference.kind, &instance);
    // What stands in for the default of one reference is no choice of the manifest's for others.
    std::erase_if(candidates, [&](const Instance* c) {
      return !serves(*c, reference) || c->declaration.table == nullptr;
    });
    if (candidates.size() == 1) return candidates.front();
    if (candidates.empty() && reference.optional) return nullptr;
    if (candidates.empty() && !reference.fallback.empty()) {
      return &built_in(reference.kind, learns(reference) ? reference.learnt : reference.fallback);
    }
    unresolved(keys, field, reference.kind, candidates);
  }

  /// ComponentReference::learnt stands in, and not its fallback.
  bool learns(const ComponentReference& reference) {
    if (reference.learnt.empty() || warmup_ == 0) return false;
    for (const Instance* compositor : of_kind(Kind::compositor, nullptr)) {
      if (compositor->entry->description.lends_memory) return false;
    }
    return !reference.learns_where || reference.learns_where();
  }

  static bool serves(const Instance& instance, const ComponentReference& reference) {
    return instance.entry->description.purpose == reference.purpose;
  }

  [[noreturn]] void wrong_purpose(const toml::node& node, const KeyTable& keys, const Field& field,
                                  const Instance& found) const {
    const auto plain = [](const std::string& purpose, Kind kind) {
      return purpose.empty() ? fmt::format("an ordinary {}", to_string(kind))
                             : with_article(purpose);
    };
    const auto& reference = std::get<ComponentReference>(field.target());
    reject(node, keys.path + "." + field.key(),
           fmt::format("wants {}, but [{}] is {}", plain(reference.purpose, reference.kind),
                       found.declaration.path(),
                       plain(found.entry->description.purpose, reference.kind)),
           manifest_);
  }

  Instance& named(const toml::node& node, const std::string& key, Kind kind) {
    if (!node.is_string()) {
      reject(node, key,
             fmt::format("wants the name of {}, found {}", one_of_kind(kind), type_name(node)),
             manifest_);
    }
    const std::string name = **node.as_string();
    if (Instance* found = find(kind, name)) return *found;
    reject(node, key, unknown_reference(kind, name), manifest_);
  }

  std::string unknown_reference(Kind kind, const std::string& name) {
    for (const Instance& other : instances_) {
      if (other.declaration.name != name) continue;
      return fmt::format("wants {}, but \"{}\" is the {} [{}]{}", one_of_kind(kind),
                         shortened(name), to_string(other.declaration.kind),
                         other.declaration.path(), suggestion(name, names(kind)));
    }
    return fmt::format("the manifest has no [{}.{}]{}", to_string(kind), name,
                       suggestion(name, names(kind)));
  }

  [[noreturn]] void unresolved(const KeyTable& keys, const Field& field, Kind kind,
                               const std::vector<Instance*>& candidates) const {
    std::vector<std::string> paths;
    for (const Instance* candidate : candidates) paths.push_back(candidate->declaration.path());
    const std::string rule =
        paths.empty()
            ? fmt::format("the manifest has no {0}; add a table [{0}.NAME] with `use` (known: {1})",
                          to_string(kind), fmt::join(registry_.ids(kind), ", "))
            : fmt::format("the manifest has several ({}); say which: {} = \"NAME\"",
                          fmt::join(paths, ", "), field.key());
    throw InputError(place(keys), fmt::format("[{}] needs {} as \"{}\": {}", keys.path,
                                              one_of_kind(kind), field.key(), rule));
  }

  /// A built-in component with its defaults, named like its id.
  Instance& built_in(Kind kind, const std::string& id) {
    if (Instance* earlier = find(kind, id)) return *earlier;
    Instance& instance = instances_.emplace_back();
    instance.declaration = {kind, id, nullptr};
    instance.keys = {instance.declaration.path(), nullptr, {}};
    instance.entry = &find_entry(kind, id, {manifest_.path(), 0, 0});
    instance.blueprint = instance.entry->blueprint();
    for (const Field& field : instance.blueprint->fields().all()) {
      if (field.is_required()) missing(instance.keys, field);
    }
    return instance;
  }

  /// For whatever happens in its code later.
  std::string words_of(const Instance& instance) const {
    return fmt::format("[{}] (use = \"{}\", {}, {})", instance.declaration.path(),
                       instance.entry->description.id, to_string(place(instance)),
                       instance.entry->library);
  }

  std::shared_ptr<Component> construct(const Instance& instance) const {
    const char* const task = kept_text("the constructor of " + words_of(instance));
    const CallMark mark(task);
    try {
      return instance.blueprint->make();
    } catch (const ParameterError& fault) {
      broken_parameter(instance, fault);
    } catch (const InputError& fault) {
      throw InputError(fmt::format("{}\n  while making [{}] ({})", fault.what(),
                                   instance.declaration.path(), to_string(place(instance))));
    } catch (const Error&) {
      throw;
    } catch (const std::bad_alloc&) {
      too_large(instance);
    } catch (const std::length_error&) {
      too_large(instance);
    } catch (const std::exception& fault) {
      throw RunError(fmt::format("{}: making [{}] failed: {} ({})", to_string(place(instance)),
                                 instance.declaration.path(), fault.what(),
                                 instance.entry->library));
    } catch (...) {
      rethrow_from(task);
    }
  }

  /// An allocation failed that its constructor asked for: which of its keys may be why.
  [[noreturn]] void too_large(const Instance& instance) const {
    std::string values;
    for (const Field& field : instance.blueprint->fields().all()) {
      const bool counts = std::holds_alternative<std::int64_t*>(field.target()) ||
                          std::holds_alternative<std::optional<std::int64_t>*>(field.target());
      const auto& texts = instance.keys.texts;
      if (!texts.contains(field.key()) || !(counts || field.is_file())) continue;
      values += fmt::format("{}{} = {}", values.empty() ? ", of " : ", ", field.key(),
                            shortened(texts.at(field.key())));
    }
    throw InputError(place(instance), fmt::format("making [{}]{}: {}", instance.declaration.path(),
                                                  values, out_of_memory()));
  }

  /// All that the model records or gives as data.
  static std::vector<Parameter> arrays_of(const Model& model) {
    std::vector<Parameter> all = model.parameters();
    const auto add = [&all](std::vector<Parameter> more) {
      all.insert(all.end(), std::make_move_iterator(more.begin()),
                 std::make_move_iterator(more.end()));
    };
    if (model.offers<Derived>() != nullptr) add(model.offers<Derived>()->quantities());
    if (model.offers<Generated>() != nullptr) add(model.offers<Generated>()->generated());
    for (const auto& data : {model.observed_data(), model.constant_data()})
      for (const NamedValues& one : data)
        all.push_back({.name = one.name, .shape = one.shape, .dims = one.dims});
    return all;
  }

  void check_parameters_of(const Model& model, const Instance& instance) const {
    const CallMark mark(model);
    try {
      check_parameters(model.parameters());
      check_dims(arrays_of(model), model.labels());
    } catch (const InputError& fault) {
      throw InputError(
          place(instance),
          fmt::format("[{}]: {}; unless its keys or its data are the reason, mend it "
                      "in the source of {}",
                      instance.declaration.path(), fault.what(), instance.entry->library));
    } catch (...) {
      rethrow_from(kept_text(words_of(instance)));
    }
  }

  void check_size(const Model& model, const Instance& instance) const {
    constexpr double point_and_gradient = 2 * sizeof(double);
    const Index d = model.dimension();
    require_memory(point_and_gradient * static_cast<double>(d),
                   fmt::format("{}: [{}]: a point of {} coordinates, with its gradient,",
                               to_string(place(instance)), instance.declaration.path(), d));
  }

  [[noreturn]] void broken_parameter(const Instance& instance, const ParameterError& fault) const {
    const toml::table* const table = instance.declaration.table;
    const toml::node* const node = table == nullptr ? nullptr : table->at_path(fault.key()).node();
    const std::string dotted = instance.declaration.path() + "." + fault.key();
    if (node != nullptr) reject(*node, dotted, fault.rule(), manifest_);
    const Field* const field = instance.blueprint->fields().find(fault.key());
    const std::string value = field == nullptr ? "" : field->value_text();
    throw InputError(place(instance), fmt::format("{}{}{}: {}", dotted, value.empty() ? "" : " = ",
                                                  value, fault.rule()));
  }

  Instance& root() {
    const std::vector<Instance*> compositors = of_kind(Kind::compositor, nullptr);
    if (compositors.empty()) return built_in(Kind::compositor, default_compositor);
    if (compositors.size() > 1) {
      throw InputError(
          place(*compositors[1]),
          fmt::format("[{}]: a manifest has one compositor, and [{}] is it already",
                      compositors[1]->declaration.path(), compositors[0]->declaration.path()));
    }
    return *compositors.front();
  }

  static bool writes_draws_file(const Instance* recorder) {
    return recorder->entry->description.purpose == draws_file_purpose;
  }

  /// The one that writes what summaries read, declared or not, and all others that are declared.
  std::vector<Instance*> recorders() {
    std::vector<Instance*> all = of_kind(Kind::recorder, nullptr);
    const auto first = std::find_if(all.begin(), all.end(), writes_draws_file);
    if (first != all.end()) {
      std::rotate(all.begin(), first, first + 1);
      return all;
    }
    if (const Instance* taken = find(Kind::recorder, default_recorder)) {
      throw InputError(place(*taken),
                       fmt::format("[{}]: this name is kept for the recorder that writes draws.nc; "
                                   "choose another one",
                                   taken->declaration.path()));
    }
    all.insert(all.begin(), &built_in(Kind::recorder, default_recorder));
    return all;
  }

  Instance* find(Kind kind, const std::string& name) {
    for (Instance& instance : instances_) {
      if (instance.declaration.kind == kind && instance.declaration.name == name) return &instance;
    }
    return nullptr;
  }

  std::vector<Instance*> of_kind(Kind kind, const Instance* except) {
    std::vector<Instance*> found;
    for (Instance& instance : instances_) {
      if (instance.declaration.kind == kind && &instance != except) found.push_back(&instance);
    }
    return found;
  }

  std::vector<std::string> names(Kind kind) {
    std::vector<std::string> found;
    for (const Instance* instance : of_kind(kind, nullptr)) {
      found.push_back(instance->declaration.name);
    }
    return found;
  }

  std::vector<const Instance*> in_use() const {
    std::vector<const Instance*> found;
    for (const Instance& instance : instances_) {
      if (instance.made) found.push_back(&instance);
    }
    std::sort(found.begin(), found.end(), [](const Instance* a, const Instance* b) {
      return std::tie(a->declaration.kind, a->declaration.name) <
             std::tie(b->declaration.kind, b->declaration.name);
    });
    return found;
  }

  std::vector<std::pair<std::string, std::string>> sources() const {
    std::vector<std::pair<std::string, std::string>> all;
    for (const Kind kind : methods) {
      for (const Instance* instance : in_use()) {
        const Description& about = instance->entry->description;
        if (instance->entry->kind != kind || about.sources.empty()) continue;
        all.emplace_back(fmt::format("{} {}", to_string(kind), about.id), about.sources.front());
      }
    }
    return all;
  }

  /// Only what the model of the run records has dimensions.
  void refuse_idle_dims(const Instance& instance, const Model& sampled) const {
    if (instance.dims.empty() || instance.made.get() == &sampled) return;
    throw InputError(place(instance),
                     fmt::format("[{}]: `dims` and `coords` are for the model that is sampled, "
                                 "[model.{}]; write them there",
                                 instance.declaration.path(), sampled.name()));
  }

  static EffectiveTable effective(const Instance& instance) {
    EffectiveTable table{instance.declaration.path(), {}};
    table.lines.push_back(
        {"use", toml_text(instance.entry->description.id), instance.entry->description.summary});
    for (const Field& field : instance.blueprint->fields().all()) {
      const bool is_list = std::holds_alternative<TableList>(field.target());
      table.lines.push_back(
          {field.key(),
           is_list ? effective_list(instance, field.key())
                   : effective_value(instance.keys, instance.blueprint->fields(), field),
           comment_for(field)});
    }
    for (const char* const key : {"dims", "coords"})
      if (const auto given = instance.keys.texts.find(key);
          instance.declaration.kind == Kind::model && given != instance.keys.texts.end())
        table.lines.push_back({key, given->second, ""});
    return table;
  }

  /// On one line, so that the comment stands behind it; empty where there is none.
  static std::string effective_list(const Instance& instance, const std::string& key) {
    const auto found = instance.rows.find(key);
    if (found == instance.rows.end()) return {};
    std::vector<std::string> tables;
    for (const ListedTable& row : found->second) {
      std::vector<std::string> lines;
      for (const Field& field : row.fields.all()) {
        const std::string value = effective_value(row.keys, row.fields, field);
        if (!value.empty()) lines.push_back(fmt::format("{} = {}", toml_key(field.key()), value));
      }
      tables.push_back(fmt::format("{{ {} }}", fmt::join(lines, ", ")));
    }
    return fmt::format("[{}]", fmt::join(tables, ", "));
  }

  /// Empty where another key says it instead, and of a key that could have said what another one
  /// says: only one of the two may be read again.
  static std::string effective_value(const KeyTable& keys, const Fields& fields,
                                     const Field& field) {
    const auto given = keys.texts.find(field.key());
    if (given != keys.texts.end()) return given->second;
    if (!field.replaced().empty()) return {};
    for (const Field& other : fields.all()) {
      if (other.replaced() == field.key() && keys.texts.contains(other.key())) return {};
    }
    return field.value_text();
  }

  std::vector<std::string> unused() const {
    std::vector<std::string> texts;
    for (const Instance& instance : instances_) {
      if (!instance.made) {
        texts.push_back(fmt::format("{}: [{}] is not used by anything.", to_string(place(instance)),
                                    instance.declaration.path()));
      }
    }
    return texts;
  }

  std::shared_ptr<const Places> places_;
  std::shared_ptr<const ManifestText> shared_manifest_;
  const ManifestText& manifest_;
  const Registry& registry_;
  FileFinder files_;
  std::int64_t warmup_ = 0;
  bool samples_prior_ = false;
  std::map<const Instance*, std::shared_ptr<const Model>> priors_;
  std::deque<Instance> instances_;  // addresses stay valid as built-in ones are added
  std::vector<const Instance*> stack_;
};

}  // namespace

Composition resolve(std::shared_ptr<const ManifestText> manifest, const Registry& registry) {
  return Resolver(std::move(manifest), registry).resolve();
}

}  // namespace mixwell
