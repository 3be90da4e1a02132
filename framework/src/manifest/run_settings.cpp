// Reads the table [run] of a manifest.
// SPDX-License-Identifier: Apache-2.0
#include "manifest/run_settings.hpp"

#include "component/toml_text.hpp"
#include "files/instruction_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

namespace mixwell {
namespace {

/// Random streams use 40 bits for the sweep number and 28 bits for the replicate number.
constexpr std::int64_t most_sweeps = std::int64_t{1} << 40;
constexpr double most_replicates = 268435456.0;

const std::map<std::string, Init::How> words = {
    {"model", Init::How::model}, {"exact", Init::How::exact}, {"prior", Init::How::prior}};

std::vector<std::string> choices() {
  std::vector<std::string> names;
  for (const auto& [word, how] : words) names.push_back(word);
  return names;
}

/// Reads `init`: one of three words, or a table with one key.
class InitReader {
 public:
  InitReader(const toml::node& node, const ValueSource& source) : node_(node), source_(source) {}

  Init read(std::string& effective) const {
    if (node_.is_string()) return word(effective);
    const toml::table* const table = node_.as_table();
    if (table == nullptr || table->size() != 1) wrong_form();
    Init init;
    std::string file;
    Fields fields;
    fields.number("uniform", init.uniform).above(0);
    fields.text("file", file).file();
    fields.numbers("value", init.value);
    check_keys(*table, fields, "run.init", source_.manifest, {});
    const std::string key(table->begin()->first.str());
    const Field& field = *fields.find(key);
    const toml::node& node = table->begin()->second;
    const std::string value =
        key == "file" ? read_files(field, file, node, init) : read_value(field, node, init);
    effective = fmt::format("{{ {} = {} }}", key, value);
    return init;
  }

 private:
  Init word(std::string& effective) const {
    const std::string name = **node_.as_string();
    const auto found = words.find(name);
    if (found == words.end()) {
      const std::vector<std::string> names = choices();
      reject(node_, "run.init", std::string(init_rule) + suggestion(name, names), source_.manifest);
    }
    effective = toml_text(name);
    Init init;
    init.how = found->second;
    return init;
  }

  std::string read_value(const Field& field, const toml::node& value, Init& init) const {
    const std::string dotted = "run.init." + field.key();
    init.how = field.key() == "uniform" ? Init::How::uniform : Init::How::value;
    const std::string text = assign(field, value, dotted, source_);
    if (init.how == Init::How::value && init.value.empty())
      reject(value, dotted, "must not be empty. Give at least one number.", source_.manifest);
    return text;
  }

  /// Reads one name or a list of names. Reads each name into `file`, the target of the field, and
  /// then adds it to `init`.
  std::string read_files(const Field& field, const std::string& file, const toml::node& value,
                         Init& init) const {
    init.how = Init::How::file;
    const auto read_one = [&](const toml::node& name, const std::string& key) {
      const std::string text = assign(field, name, key, source_);
      init.files.push_back(file);
      return text;
    };
    const toml::array* const list = value.as_array();
    if (list == nullptr) return read_one(value, "run.init.file");
    if (list->empty())
      reject(value, "run.init.file", "must not be empty. Give at least one file.",
             source_.manifest);
    std::string texts;
    for (const toml::node& name : *list)
      texts += (texts.empty() ? "" : ", ") +
               read_one(name, fmt::format("run.init.file[{}]", init.files.size()));
    return "[" + texts + "]";
  }

  [[noreturn]] void wrong_form() const { reject(node_, "run.init", init_rule, source_.manifest); }

  const toml::node& node_;
  const ValueSource& source_;
};

void check_block_width(const RunSettings& settings, const ValueSource& source) {
  if (settings.block_width % 8 == 0) return;
  reject(*source.manifest.run().get("block_width"), "run.block_width",
         "must be a multiple of 8, such as 16", source.manifest);
}

/// A program that starts again reads the manifest again, which a pipe does not allow.
void check_instruction_set(const RunSettings& settings, const ValueSource& source) {
  if (!settings.isa) return;
  const std::string what =
      to_string(source.manifest.at("run.isa", source.manifest.run().get("isa")->source())) +
      ": run.isa asks for";
  try {
    require_instruction_set(*settings.isa, what);
  } catch (const OtherInstructionSet& fault) {
    if (std::filesystem::is_regular_file(source.manifest.path())) throw;
    throw InputError(fault.what());
  }
}

void check_sweeps(const RunSettings& settings, const ValueSource& source) {
  const bool fits = settings.draws <= (most_sweeps - settings.warmup) / settings.thin;
  if (fits) return;
  throw InputError(
      source.manifest.at("run", source.manifest.run().source()),
      fmt::format("run: warmup + draws * thin must be at most {3} sweeps (got {0} + {1} * {2}). "
                  "Reduce warmup, draws or thin.",
                  settings.warmup, settings.draws, settings.thin, most_sweeps));
}

/// Refuses a stop rule that this run would never check.
void check_looks(const RunSettings& settings, const ValueSource& source) {
  const StopSettings& stop = settings.stop;
  const std::int64_t sweeps = settings.draws * settings.thin;
  if (stop.check_every <= sweeps) return;
  for (const auto& [key, is_set] : {std::pair("stop_gradients", stop.gradients.has_value()),
                                    std::pair("stop_min_ess", stop.min_ess.has_value()),
                                    std::pair("stop_mcse", stop.mcse.has_value())})
    if (is_set)
      throw InputError(
          source.manifest.at("run", source.manifest.run().get(key)->source()),
          fmt::format(
              "run.{}: Mixwell checks this stop rule for the first time after check_every = {} "
              "sweeps, but the run ends after draws * thin = {} sweeps. Set check_every = {} or "
              "less, or remove {}.",
              key, stop.check_every, sweeps, sweeps, key));
}

}  // namespace

std::uint64_t RunSettings::stream_seed() const noexcept {
  std::uint64_t key = static_cast<std::uint64_t>(seed);
  for (const char c : provenance) {  // FNV-1a
    key = (key ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  return key;
}

Fields run_fields(RunSettings& settings) {
  Fields fields;
  fields.integer("seed", settings.seed).at_least(0).help("seed of the random number generator");
  fields.integer("replicates", settings.replicates)
      .at_least(1)
      .at_most(most_replicates)
      .help("number of independent copies of the whole sampler");
  fields.integer("warmup", settings.warmup)
      .at_least(0)
      .at_most(static_cast<double>(most_sweeps))
      .help("number of sweeps before sampling, for adaptation and burn-in");
  fields.integer("draws", settings.draws)
      .at_least(1)
      .at_most(static_cast<double>(most_sweeps))
      .help("number of recorded sweeps (draws per chain)");
  fields.integer("thin", settings.thin)
      .at_least(1)
      .at_most(static_cast<double>(most_sweeps))
      .help("record every thin-th sweep");
  fields.flag("record_warmup", settings.record_warmup)
      .only_where("warmup above 0", [&settings] { return settings.warmup > 0; })
      .help("also record the warmup draws");
  fields.text("predictive", settings.predictive)
      .one_of({"auto", "all", "none", "log_likelihood", "posterior_predictive"})
      .help(
          "per-case groups to record (auto: all that the model offers if they need at most "
          "256 MiB, else none)");
  fields.flag("prior", settings.prior)
      .help("sample the prior, and write the groups `prior` and `prior_predictive`");
  fields.text("ranks", settings.ranks)
      .one_of({"replicates", "data", "coordinates"})
      .help(
          "how MPI processes divide the work: by replicates, by 64 data shards or by blocks of "
          "coordinates");
  fields.texts("allow", settings.allow)
      .one_of({"biased", "none"})
      .help("also accept compositions with these certificates, for example in an ablation study");
  fields.integer("block_width", settings.block_width)
      .at_least(8)
      .at_most(most_replicates)
      .help(
          "replicates computed together, a multiple of 8 (affects rounding; default depends on "
          "problem size)");
  StopSettings& stop = settings.stop;
  fields.number("stop_gradients", stop.gradients)
      .above(0)
      .help("end the run after this many gradient evaluations, including warmup");
  fields.number("stop_seconds", stop.seconds)
      .above(0)
      .unit("s")
      .help(
          "end the run after this time, including warmup and summary (faster machines "
          "compute more draws)");
  fields.number("stop_min_ess", stop.min_ess)
      .above(0)
      .help(
          "end the run when the smallest bulk effective sample size is reliable and "
          "reaches this value");
  fields.number("stop_mcse", stop.mcse)
      .above(0)
      .help(
          "end the run when mcse_mean / sd is at most this value for every element of the "
          "posterior");
  fields.integer("check_every", stop.check_every)
      .at_least(1)
      .at_most(static_cast<double>(most_sweeps))
      .only_where("a stop rule (stop_gradients, stop_seconds, stop_min_ess or stop_mcse)",
                  [&stop] { return stop.gradients || stop.seconds || stop.min_ess || stop.mcse; })
      .help(
          "sweeps between checks of stop rules (long runs check stop_min_ess and "
          "stop_mcse less often)");
  fields.texts("summary_rows", settings.summary_rows)
      .help(
          "variables (\"x\") and elements (\"x[3]\", \"x[Ulm]\") to keep if summary.json "
          "would exceed 20000 rows");
  fields.number("checkpoint_seconds", settings.checkpoint_seconds)
      .at_least(0)
      .unit("s")
      .help("time between checkpoints for --resume (0: no checkpoints)");
  fields.text("isa", settings.isa)
      .one_of({"x86-64-v2", "x86-64-v3", "x86-64-v4"})
      .help(
          "instruction set that computes the run (affects rounding; default: x86-64-v3 if the "
          "processor has it)");
  return fields;
}

RunSettings read_run_settings(const ValueSource& source, EffectiveTable& effective) {
  RunSettings settings;
  const Fields fields = run_fields(settings);
  KeyTable keys{"run", &source.manifest.run(), {}};
  bind_values(keys, fields, source, {"init"});
  effective.heading = "run";
  for (const Field& field : fields.all())
    effective.lines.push_back(
        {field.key(), effective_value(keys, fields, field), comment_for(field)});
  std::string init = toml_text(std::string_view("model"));
  if (const toml::node* node = keys.get("init")) {
    settings.init = InitReader(*node, source).read(init);
  }
  effective.lines.push_back({"init", init, init_help});
  refuse_idle(keys, fields, source.manifest);
  check_instruction_set(settings, source);
  check_block_width(settings, source);
  check_sweeps(settings, source);
  check_looks(settings, source);
  return settings;
}

std::int64_t default_block_width(std::int64_t dimension, std::int64_t replicates) {
  const auto multiple = [](std::int64_t columns) { return columns / 8 * 8; };
  const std::int64_t fills = std::clamp<std::int64_t>(multiple(512 / dimension), 8, 64);
  return std::clamp<std::int64_t>(multiple(replicates / 8), 8, fills);
}

}  // namespace mixwell
