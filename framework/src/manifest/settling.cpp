// Step 3 of 3 in resolving a manifest: fill in values that depend on other values.
// SPDX-License-Identifier: Apache-2.0
#include "base/shortened.hpp"
#include "base/split.hpp"
#include "base/utf8.hpp"
#include "component/toml_text.hpp"
#include "files/sha256.hpp"
#include "kernel/prior_draws.hpp"
#include "law/prior_target.hpp"
#include "manifest/effective.hpp"
#include "manifest/resolve.hpp"
#include "manifest/run_settings.hpp"
#include "manifest/values.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/law/portions.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace mixwell {
namespace {

/// Kinds whose components are published methods.
constexpr std::array methods = {Kind::kernel, Kind::compositor, Kind::integrator,
                                Kind::oracle, Kind::estimator,  Kind::steps};
/// The largest size of the groups of cases that `predictive = "auto"` records.
constexpr double most_bytes_of_cases = 256.0 * (1 << 20);

class Settling {
 public:
  explicit Settling(WiredManifest wired)
      : given_(wired.bound.text),
        manifest_(*given_),
        instances_(std::move(wired.bound.instances)),
        tables_{std::move(wired.bound.effective_run)},
        is_divided_(wired.is_divided) {
    composition_.run = std::move(wired.bound.run);
    composition_.compositor = std::move(wired.compositor);
    composition_.recorders = std::move(wired.recorders);
    composition_.division = std::move(wired.division);
    composition_.given = given_;
  }

  Composition settled() {
    refuse_undivided();
    refuse_whole_positions();
    remark_on_one_process();
    if (composition_.run.prior) settle_prior();
    settle_block_width();
    settle_predictive();
    describe_components();
    list_files();
    composition_.effective_manifest = effective_text(tables_);
    refuse_bytes(composition_.effective_manifest);
    composition_.sources = sources();
    remark_on_unused();
    for (std::string& remark : composition_.remarks_of_models())
      composition_.remarks.push_back(std::move(remark));
    return std::move(composition_);
  }

 private:
  /// Rejects a key of [run] that the manifest gives.
  [[noreturn]] void refuse(const std::string& key, const std::string& rule) const {
    reject(*manifest_.run().get(key), "run." + key, rule, manifest_);
  }

  void describe_components() {
    for (const Instance* instance : instances_.in_use()) {
      tables_.push_back(effective(*instance));
      if (instance->made == composition_.model()) composition_.dims = instance->dims.given();
      refuse_idle_dims(*instance, *composition_.model());
      composition_.components.push_back(instance->made);
      composition_.libraries.push_back(instance->entry->library);
    }
    tidy(composition_.libraries);
  }

  void list_files() {
    std::vector<std::string> of_runs = composition_.run.init.files;
    for (const Instance* instance : instances_.in_use()) {
      append_files(composition_.files, *instance);
      if (instance->entry->kind != Kind::model) append_files(of_runs, *instance);
    }
    composition_.files.insert(composition_.files.end(), of_runs.begin(), of_runs.end());
    composition_.run.provenance = hash_of(of_runs);
    tidy(composition_.files);
  }

  void refuse_undivided() const {
    const bool by_data = composition_.run.ranks == "data";
    const Model& model = *composition_.model();
    const bool fits = by_data ? is_divided_ : model.offers<PortionOfModel>() != nullptr;
    if (composition_.division == nullptr || fits) return;
    refuse("ranks",
           fmt::format(
               "this value needs a model that {}, but [model.{}] {}. Set ranks = \"replicates\".",
               by_data ? "has a log density that is a sum over cases"
                       : "divides its coordinates into blocks (docs/clusters.md)",
               model.name(), by_data ? "has no such log density" : "does not"));
  }

  void remark_on_one_process() {
    if (composition_.division == nullptr || composition_.division->ranks() > 1) return;
    composition_.remarks.push_back(fmt::format(
        "run.ranks = {} has no effect with one process. Start several processes with mpirun.",
        toml_text(composition_.run.ranks)));
  }

  /// A component may work on some rows of a position only if it needs no other rows.
  void refuse_whole_positions() const {
    if (composition_.run.ranks != "coordinates") return;
    for (const Instance* instance : instances_.in_use()) {
      const Kind kind = instance->entry->kind;
      if (kind == Kind::model || kind == Kind::recorder) continue;
      const auto* const rows = dynamic_cast<const RowByRow*>(instance->made.get());
      if (rows != nullptr && rows->is_row_by_row()) continue;
      refuse("ranks",
             fmt::format(
                 "[{}] needs the whole position with its current settings, but each process has "
                 "only some rows of the position. Set ranks = \"replicates\". docs/clusters.md "
                 "lists the components that need only some rows.",
                 instance->declaration.path()));
    }
  }

  void settle_block_width() {
    if (manifest_.run().contains("block_width")) return;
    composition_.run.block_width = default_block_width(whole_of(*composition_.model()).dimension(),
                                                       composition_.run.replicates);
    settle("block_width", std::to_string(composition_.run.block_width));
  }

  /// Writes a value of [run] into the effective manifest.
  void settle(const std::string& key, const std::string& value) {
    for (auto& line : tables_.front().lines) {
      if (line.key == key) line.value = value;
    }
  }

  /// Exact draws from the prior need no kernel and no warmup. A prior that is known only by its
  /// density is sampled with the kernels of the composition.
  void settle_prior() {
    if (prior_source(*composition_.model()) != PriorSource::draws) {
      composition_.remarks.emplace_back(
          "run.prior = true: the kernels sample the prior instead of the posterior.");
      return;
    }
    composition_.compositor = prior_draws(composition_.model());
    composition_.run.warmup = 0;
    settle("warmup", "0");
    composition_.run.record_warmup = false;
    settle("record_warmup", "false");
    composition_.remarks.emplace_back(
        "run.prior = true: the model generates independent draws from its prior, so no kernel is "
        "used.");
  }

  /// The effective manifest must be UTF-8, because it is read again after the run. A program may
  /// set values to arbitrary bytes.
  void refuse_bytes(const std::string& effective_manifest) const {
    for (const std::string_view line : split(effective_manifest, '\n'))
      if (!is_utf8(line))
        throw InputError(
            {manifest_.path(), 0, 0},
            fmt::format("the value in `{}` must be valid UTF-8", shortened(line, 300)));
  }

  /// Refuses a group that is named in `predictive` but that the model does not offer.
  void refuse_idle_predictive() const {
    const RunSettings& run = composition_.run;
    const bool names_a_group = run.predictive != "all" && run.predictive != "none";
    if (!names_a_group || run.prior || bytes_of_cases() > 0) return;
    refuse("predictive",
           fmt::format(
               "this key has no effect, because it names a group that [model.{}] does not offer. "
               "Remove the key.",
               composition_.model()->name()));
  }

  /// Replaces "auto" by its meaning for this run.
  void settle_predictive() {
    RunSettings& run = composition_.run;
    if (run.predictive != "auto") return refuse_idle_predictive();
    const double bytes = bytes_of_cases();
    run.predictive = bytes <= most_bytes_of_cases ? "all" : "none";
    settle("predictive", toml_text(run.predictive));
    if (run.predictive == "all") return;
    constexpr double mebibyte = 1 << 20;
    composition_.remarks.push_back(
        fmt::format("run.predictive: the groups log_likelihood and posterior_predictive would take "
                    "{:.0f} MiB in draws.nc, more than the limit of {:.0f} MiB. Mixwell does not "
                    "record them. Set predictive = \"all\" in [run] to record both groups, or "
                    "set predictive to the name of one group.",
                    bytes / mebibyte, most_bytes_of_cases / mebibyte));
  }

  /// The size of the recorded groups of cases in draws.nc.
  double bytes_of_cases() const {
    const RunSettings& run = composition_.run;
    const std::vector<RecordGroup> groups = recorded_cases(run);
    const std::shared_ptr<const Model> model = composition_.model();
    double numbers = 0;
    const auto add = [&](const std::vector<Parameter>& quantities) {
      for (const Parameter& one : quantities)
        if (std::find(groups.begin(), groups.end(), one.group) != groups.end())
          numbers += static_cast<double>(one.size());
    };
    if (model->offers<Derived>() != nullptr) add(model->offers<Derived>()->quantities());
    if (model->offers<Generated>() != nullptr) add(model->offers<Generated>()->generated());
    const std::int64_t draws = run.draws + (run.record_warmup ? run.warmup / run.thin : 0);
    const auto chains = std::ssize(composition_.compositor->slots()) * run.replicates;
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

  /// Adds the files that keys name. Leaves out words such as "none" that name no file.
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

  /// Refuses dims of models that this run does not sample, because only the sampled model is
  /// recorded.
  void refuse_idle_dims(const Instance& instance, const Model& sampled) const {
    if (instance.dims.empty() || instance.made.get() == &sampled) return;
    throw InputError(
        place(instance, manifest_),
        fmt::format("[{}]: `dims` and `coords` have no effect, because the run does "
                    "not sample this model. Write them in [model.{}], which it samples.",
                    instance.declaration.path(), sampled.name()));
  }

  std::vector<std::pair<std::string, std::string>> sources() const {
    std::vector<std::pair<std::string, std::string>> all;
    for (const Kind kind : methods) {
      for (const Instance* instance : instances_.in_use()) {
        const Description& about = instance->about();
        if (instance->entry->kind != kind || about.sources.empty()) continue;
        all.emplace_back(fmt::format("{} {}", to_string(kind), about.id), about.sources.front());
      }
    }
    return all;
  }

  void remark_on_unused() {
    for (const Instance& instance : instances_.all()) {
      if (instance.made) continue;
      composition_.remarks.push_back(fmt::format("{}: no component uses [{}].",
                                                 to_string(place(instance, manifest_)),
                                                 instance.declaration.path()));
    }
  }

  std::shared_ptr<const ManifestText> given_;
  const ManifestText& manifest_;
  Instances instances_;
  std::vector<EffectiveTable> tables_;  ///< [run] first
  bool is_divided_;
  Composition composition_;
};

}  // namespace

Composition settle(WiredManifest wired) { return Settling(std::move(wired)).settled(); }

}  // namespace mixwell
