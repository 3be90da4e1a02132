// Step 2 of 3 in resolving a manifest: connect the components.
// SPDX-License-Identifier: Apache-2.0
#include "base/split.hpp"
#include "component/locations.hpp"
#include "component/toml_text.hpp"
#include "law/prior_target.hpp"
#include "law/sum_of_shards.hpp"
#include "manifest/resolve.hpp"
#include "manifest/values.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/law/portions.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace mixwell {
namespace {

/// The compositor and the recorder of draws.nc for manifests that give none.
constexpr const char* default_compositor = "chain";
constexpr const char* default_recorder = "netcdf";
/// The compositor whose memory reaches kernels that other kernels call.
constexpr std::string_view default_ensemble = "ensemble-chain";

/// The locations in the manifest, with advice that depends on the registry.
class ComposedPlaces final : public Locations {
 public:
  ComposedPlaces(std::shared_ptr<const Locations> manifest, std::string memory_cure)
      : manifest_(std::move(manifest)), memory_cure_(std::move(memory_cure)) {}

  Named find(const std::string& dotted) const override { return manifest_->find(dotted); }
  bool has(const std::string& dotted) const override { return manifest_->has(dotted); }
  std::string memory_cure(const WithoutMemory& kernel) const override {
    const std::vector<std::string> kernels = kernels_in(kernel.path);
    if (kernels.size() > 1)
      return fmt::format(
          "Kernel `{}` calls other kernels. It can pass only one kind of memory to them: the "
          "current values of other slots. Use [compositor.NAME] with use = {}, memory = "
          "\"others\", freeze_after_warmup = false",
          kernels.front(), toml_text(default_ensemble));
    if (kernel.with_history.empty()) return memory_cure_;
    return fmt::format(
        "{}. If the memory is a history, for example because the run has a single chain, kernel "
        "`{}` also needs {}",
        memory_cure_, kernel.path, kernel.with_history);
  }

 private:
  /// The kernels in `path`, from the one that the compositor calls to the innermost one.
  std::vector<std::string> kernels_in(const std::string& path) const {
    std::vector<std::string> found;
    for (const std::string_view part : split(path, '/'))
      if (manifest_->has(fmt::format("kernel.{}", part))) found.emplace_back(part);
    return found;
  }

  std::shared_ptr<const Locations> manifest_;
  std::string memory_cure_;
};

/// Names the compositors that provide a memory, and the keys that provide one for a single chain.
std::string memory_cure(const Registry& registry) {
  std::vector<std::string> ids;
  std::string of_one;
  for (const Entry& entry : registry.entries()) {
    const Description& about = entry.description;
    if (entry.kind != Kind::compositor || !about.provides_memory) continue;
    ids.push_back(toml_text(about.id));
    if (!about.memory_of_one_chain.empty())
      of_one +=
          fmt::format(" (for a single chain: use = {}, {})", ids.back(), about.memory_of_one_chain);
  }
  return fmt::format("Use a compositor that provides a memory: [compositor.NAME] with use = {}{}",
                     fmt::join(ids, " or "), of_one);
}

class ManifestWiring {
 public:
  explicit ManifestWiring(WiredManifest& wired)
      : wired_(wired),
        bound_(wired.bound),
        manifest_(*bound_.text),
        places_(std::make_shared<ComposedPlaces>(bound_.text, memory_cure(*bound_.registry))) {}

  std::shared_ptr<const Compositor> compositor() { return make_as<Compositor>(root()); }

  std::vector<std::shared_ptr<const Recorder>> all_recorders() {
    std::vector<std::shared_ptr<const Recorder>> all;
    for (Instance* recorder : recorders()) all.push_back(make_as<Recorder>(*recorder));
    return all;
  }

 private:
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
    const auto part = [this](const std::shared_ptr<Component>& whole) { return part_of(whole); };
    return instance.made = make_component(instance, manifest_, places_, part);
  }

  /// If run.ranks divides data or coordinates: the part of a model that this process evaluates.
  /// Otherwise null.
  std::shared_ptr<Component> part_of(const std::shared_ptr<Component>& whole) {
    const auto model = std::dynamic_pointer_cast<const Model>(whole);
    if (model == nullptr || wired_.division == nullptr) return nullptr;
    std::shared_ptr<Component> part;
    if (bound_.run.ranks == "data") part = sum_of_shards(model, wired_.division);
    const auto* const divisible = model->offers<DivisibleModel>();
    if (bound_.run.ranks == "coordinates" && divisible != nullptr) {
      part = divisible->portion(wired_.division);
    }
    wired_.is_divided = wired_.is_divided || part != nullptr;
    return part;
  }

  /// The component that a reference of `user` gives. In a run of the prior, a reference to a model
  /// gives the prior of the model. But a reference from another model gives the model itself.
  std::shared_ptr<const Component> made_for(const Instance& user, Instance& target) {
    const std::shared_ptr<const Component> made = make(target);
    const auto model = std::dynamic_pointer_cast<const Model>(made);
    if (!bound_.run.prior || model == nullptr || user.entry->kind == Kind::model) return made;
    if (prior_source(*model) == PriorSource::none)
      throw InputError(
          place(target, manifest_),
          fmt::format("[{}]: run.prior = true needs a model that offers its prior, but model `{}` "
                      "does not. A model can offer draws from the prior (`Prior`) or the log "
                      "density of the prior (a `DensityModel` with `log_prior`). Set "
                      "run.prior = false, or add log_prior to the model.",
                      target.declaration.path(), target.about().id));
    std::shared_ptr<const Model>& prior = priors_[&target];
    if (!prior) prior = prior_target(model);
    return prior;
  }

  /// Checks and changes that are possible only after references are bound.
  void settle_keys(const Instance& instance, const KeyTable& keys, const Fields& fields) const {
    if (keys.table != nullptr) refuse_idle(keys, fields, manifest_);
    put_numbers_for_labels(instance, keys, fields);
  }

  /// Replaces labels by numbers in keys that select coordinates, because components read only
  /// numbers. The labels come from the model or from the table of the model.
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
    throw InputError(place(instance, manifest_), "references must not form a cycle: " + path +
                                                     instance.declaration.path() +
                                                     ". Remove one of these references.");
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
    Instance* const target = referred(bound_, instance, keys, field);
    if (target == nullptr) return;
    reference.bind(made_for(instance, *target));
    if (reference.kind == Kind::model && instance.model == nullptr) instance.model = target;
    const bool is_given = keys.get(field.key()) != nullptr;
    if (is_given && target->about().id != reference.fallback) keys.changed.insert(field.key());
    keys.texts[field.key()] = toml_text(target->declaration.name);
  }

  void bind_references(const Instance& instance, KeyTable& keys, const Field& field,
                       const ComponentReference& reference) {
    std::vector<std::string> names;
    for (Instance* target : all_referred(bound_, instance, keys, field)) {
      reference.bind(made_for(instance, *target));
      names.push_back(target->declaration.name);
    }
    keys.texts[field.key()] = toml_text(names);
  }

  Instance& root() {
    const std::vector<Instance*> compositors = bound_.instances.of_kind(Kind::compositor);
    if (compositors.empty()) return built_in(bound_, Kind::compositor, default_compositor);
    if (compositors.size() > 1) {
      throw InputError(
          place(*compositors[1], manifest_),
          fmt::format("[{}]: a manifest may have only one compositor, but it also has [{}]. "
                      "Remove one of the two.",
                      compositors[1]->declaration.path(), compositors[0]->declaration.path()));
    }
    return *compositors.front();
  }

  static bool writes_draws_file(const Instance* recorder) {
    return recorder->about().purpose == draws_file_purpose;
  }

  /// First the recorder that writes draws.nc (declared or built in), then all other declared
  /// recorders.
  std::vector<Instance*> recorders() {
    std::vector<Instance*> all = bound_.instances.of_kind(Kind::recorder);
    const auto first = std::find_if(all.begin(), all.end(), writes_draws_file);
    if (first != all.end()) {
      std::rotate(all.begin(), first, first + 1);
      return all;
    }
    if (const Instance* taken = bound_.instances.find(Kind::recorder, default_recorder)) {
      throw InputError(
          place(*taken, manifest_),
          fmt::format("[{}]: this name is reserved for the recorder that writes draws.nc. "
                      "Choose another name.",
                      taken->declaration.path()));
    }
    all.insert(all.begin(), &built_in(bound_, Kind::recorder, default_recorder));
    return all;
  }

  WiredManifest& wired_;
  BoundManifest& bound_;
  const ManifestText& manifest_;
  std::shared_ptr<const Locations> places_;
  std::map<const Instance*, std::shared_ptr<const Model>> priors_;
  std::vector<const Instance*> stack_;
};

}  // namespace

WiredManifest wire(BoundManifest bound, Ranks* ranks) {
  WiredManifest wired{std::move(bound), {}, {}, {}, false};
  if (wired.bound.run.ranks != "replicates") wired.division = std::make_shared<Portions>(ranks);
  ManifestWiring wiring(wired);
  wired.compositor = wiring.compositor();
  wired.recorders = wiring.all_recorders();
  return wired;
}

}  // namespace mixwell
