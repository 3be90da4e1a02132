// A whole run: from a composition to a folder of results.
// SPDX-License-Identifier: Apache-2.0
#include "base/clock.hpp"
#include "base/guarded_columns.hpp"
#include "base/present_call.hpp"
#include "files/json.hpp"
#include "files/whole_file.hpp"
#include "results/summary_cost.hpp"
#include "run/checkpoint.hpp"
#include "run/chunks.hpp"
#include "run/prediction.hpp"
#include "run/rehearsal.hpp"
#include "run/report.hpp"
#include "run/result_folder.hpp"
#include "run/stop_rule.hpp"
#include "run/tested.hpp"

#include <mixwell/error.hpp>
#include <mixwell/lab/dot.hpp>
#include <mixwell/lab/draws.hpp>
#include <mixwell/lab/run.hpp>
#include <mixwell/version.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <filesystem>
#include <optional>

namespace mixwell {
namespace {

/// A stretch of sweeps lasts about this long, so that progress and Ctrl-C are answered soon; its
/// length has no influence on the draws.
constexpr double stretch_seconds = 0.2;
/// Draws of a stretch stay in the second-level cache until they are written.
constexpr double stretch_bytes = 2.0 * 1024 * 1024;

void visit(StateVisitor& visitor, std::string_view name, PhaseCost& cost) {
  auto sweeps = static_cast<std::uint64_t>(cost.sweeps);
  visitor.count(name, sweeps);
  cost.sweeps = static_cast<std::int64_t>(sweeps);
  Eigen::MatrixXd numbers = Eigen::RowVector3d(cost.seconds, cost.gradients, cost.gradients_before);
  visitor.numbers(name, numbers);
  cost.seconds = numbers(0);
  cost.gradients = numbers(1);
  cost.gradients_before = numbers(2);
}

/// All that one run needs at hand.
class Runner {
 public:
  Runner(const Composition& composition, const RunOptions& options)
      : composition_(composition),
        options_(options),
        rule_(composition.run.stop),
        program_(compose(*composition.compositor)) {}

  RunResult run() {
    refuse_unless_allowed(program_.certificate.now, settings().allow);
    probe_wiring(composition_.compositor);
    const Certificate certificate = program_.certificate;
    sampler_ = std::make_unique<Sampler>(composition_.compositor, settings(), std::move(program_));
    ResultFolder folder(options_.folder, use_of_folder());
    folder_ = &folder;
    find_checkpoint();
    if (!found_) sampler_->initialise();
    folder.begin(found_.has_value());
    try {
      sample(certificate);
      RunResult result = finish(certificate);
      if (fault_) tell_of_fault(result);
      return result;
    } catch (const Error& error) {
      recordings_.clear();  // takes away what was half written
      if (fault_) throw;
      throw Error(error.code(), error.what() + prospects());
    } catch (...) {
      recordings_.clear();
      throw;
    }
  }

 private:
  const RunSettings& settings() const { return composition_.run; }
  bool saves() const { return settings().checkpoint_seconds > 0; }

  FolderUse use_of_folder() const {
    if (options_.resume) return FolderUse::resume;
    return options_.force ? FolderUse::replace : FolderUse::empty;
  }

  void find_checkpoint() {
    if (saves() || options_.resume) origin_ = origin_of(composition_);
    const std::string& folder = folder_->scratch();
    if (options_.resume) found_ = read_checkpoint(folder);
    part_hashes_ = PartHashes(folder);
    if (found_) check_same_origin(found_->origin, origin_, checkpoint_file(folder));
    if (found_) part_hashes_.check(found_->parts);
    saved_ = found_.has_value();
  }

  /// Whether nothing has ended the run.
  bool goes_on() {
    if (ended_by_.empty() && options_.stop != nullptr && options_.stop->load())
      ended_by_ = "interrupt";
    return ended_by_.empty();
  }

  /// The error that an operation ended the run with, and where the draws before it are.
  [[noreturn]] void tell_of_fault(const RunResult& result) const {
    throw Error(fault_->code(), fmt::format("{}\n  the {} draws before it are kept in {}",
                                            fault_->what(), report_.draws, result.folder));
  }

  /// After an error: from where the run can go on.
  std::string prospects() const {
    if (!std::filesystem::exists(folder_->path())) {
      return fmt::format("\n  the folder {} is gone, and what the run had drawn with it",
                         options_.folder);
    }
    if (!saved_) return {};
    if (!folder_->can_go_on()) {
      return fmt::format("\n  the checkpoint in {} is not whole any more: the run cannot go on",
                         folder_->scratch());
    }
    return fmt::format("\n  `mixwell run --resume {}` goes on from the last checkpoint",
                       options_.folder);
  }

  void sample(const Certificate& certificate) {
    const KernelGraph& graph = sampler_->graph(PhaseKind::sampling);
    const auto slots = static_cast<Index>(composition_.compositor->slots().size());
    DrawChunks chunks(graph, slots, settings().replicates);
    DrawChunks warmup_chunks(sampler_->graph(PhaseKind::warmup), slots, settings().replicates);
    prediction_ =
        std::make_unique<PredictionAverage>(*composition_.model(), graph, settings().replicates);
    check_warmup_columns(settings(), warmup_chunks, chunks);
    report_.created_at = found_ ? found_->created_at : timestamp();
    open_recorders(chunks.columns(), certificate);
    if (settings().stop.seconds)
      summary_cost_.emplace(summarised_elements(chunks.columns()), slots * settings().replicates);
    if (found_) restore();
    phase(PhaseKind::warmup, settings().warmup, settings().record_warmup ? &warmup_chunks : nullptr,
          report_.warmup);
    phase(PhaseKind::sampling, settings().draws * settings().thin, &chunks, report_.sampling);
    if (ended_by_.empty()) ended_by_ = "draws";
    if (ended_by_ == "interrupt" && saves()) save();
  }

  static Index summarised_elements(const std::vector<Column>& columns) {
    Index elements = 0;
    for (const Column& column : columns)
      if (column.group == RecordGroup::posterior) elements += column.size();
    return elements;
  }

  void open_recorders(const std::vector<Column>& columns, const Certificate& certificate) {
    RunHeader header = run_header(composition_, certificate.now, columns);
    header.path = folder_->path();
    header.scratch = folder_->scratch();
    header.created_at = report_.created_at;
    header.resume = found_.has_value();
    for (const auto& recorder : composition_.recorders) {
      recordings_.push_back(recorder->open(header));
    }
  }

  /// Everything that a run which goes on must have.
  void visit_state(StateVisitor& visitor) {
    sampler_->visit_state(visitor);
    visit(visitor, "warm-up", report_.warmup);
    visit(visitor, "sampling", report_.sampling);
    prediction_->visit_state(visitor);
    for (const auto& recording : recordings_) recording->visit_state(visitor);
  }

  void restore() {
    StateReader reader(std::move(found_->state));
    visit_state(reader);
    if (!reader.at_end()) throw InputError("the saved state holds more than this run has");
    check_sweeps("warm-up", report_.warmup, settings().warmup);
    check_sweeps("sampling", report_.sampling, settings().draws * settings().thin);
  }

  static void check_sweeps(const char* phase, const PhaseCost& cost, std::int64_t all) {
    if (cost.sweeps >= 0 && cost.sweeps <= all) return;
    throw InputError(
        fmt::format("saved state does not fit: {} sweeps of {} are done, and the run has {}",
                    cost.sweeps, phase, all));
  }

  void save() {
    StateWriter writer;
    visit_state(writer);
    save_checkpoint(folder_->scratch(),
                    {origin_, report_.created_at, part_hashes_.now(), writer.bytes()});
    saved_ = true;
    last_save_ = Clock::now();
  }

  /// Runs what is left of a phase, stretch by stretch; `chunks` null = nothing is recorded.
  void phase(PhaseKind kind, std::int64_t sweeps, DrawChunks* chunks, PhaseCost& cost) {
    if (cost.sweeps == 0) cost.gradients_before = sampler_->gradients();
    std::int64_t stretch = 1;
    while (cost.sweeps < sweeps && goes_on()) {
      stretch = std::min({stretch, sweeps - cost.sweeps, room_before_look(kind, cost.sweeps)});
      const auto began = Clock::now();
      DrawBuffers* buffers = chunks == nullptr ? nullptr : &buffers_;
      if (!advance(kind, stretch, buffers)) break;
      if (chunks != nullptr) write(*chunks, kind, cost.sweeps / settings().thin);
      cost.sweeps += stretch;
      const double seconds = seconds_since(began);
      cost.seconds += seconds;
      cost.gradients = sampler_->gradients() - cost.gradients_before;
      tell(kind, cost.sweeps);
      if (kind == PhaseKind::sampling && cost.sweeps < sweeps) apply_rule();
      if (saves() && seconds_since(last_save_) >= settings().checkpoint_seconds) save();
      stretch = next_stretch(stretch, seconds, chunks);
    }
  }

  std::int64_t room_before_look(PhaseKind kind, std::int64_t done) const {
    if (kind == PhaseKind::sampling) return rule_.next_look(done) - done;
    return std::numeric_limits<std::int64_t>::max();
  }

  /// What a run that is to end after so long keeps for its summary.
  double summary_seconds() const {
    return summary_cost_ ? summary_cost_->seconds(static_cast<double>(draws())) : 0.0;
  }

  void apply_rule() {
    const std::int64_t done = report_.sampling.sweeps;
    const double gradients = report_.warmup.gradients + report_.sampling.gradients;
    const double seconds = report_.warmup.seconds + report_.sampling.seconds + summary_seconds();
    ended_by_ = rule_.met_by_cost(done, gradients, seconds);
    if (!ended_by_.empty() || !rule_.looks_at_draws(done)) return;
    const std::string folder = folder_->scratch() + "/look";
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) throw WriteError(folder, error.value());
    RunFooter so_far = footer();
    so_far.folder = folder;
    recordings_.front()->finish(so_far);
    ended_by_ = rule_.met_by_draws(DrawsFile(folder));
  }

  /// False if an operation refused to go on; then nothing of the stretch counts. Without a recorded
  /// draw there is nothing to keep, and the error ends the run at once.
  bool advance(PhaseKind kind, std::int64_t sweeps, DrawBuffers* buffers) {
    try {
      sampler_->advance(kind, sweeps, buffers);
      return true;
    } catch (const Error& fault) {
      if (draws() == 0) throw;
      fault_ = fault;
      report_.error = fault.what();
      ended_by_ = "error";
      return false;
    }
  }

  std::int64_t draws() const { return report_.sampling.sweeps / settings().thin; }

  std::int64_t next_stretch(std::int64_t last, double seconds, const DrawChunks* chunks) const {
    const double wanted = static_cast<double>(last) * stretch_seconds / std::max(seconds, 1e-6);
    double most = 4.0 * static_cast<double>(last);
    if (chunks != nullptr) {
      const double fits = stretch_bytes / static_cast<double>(chunks->bytes_per_draw());
      most = std::min(most, fits * static_cast<double>(settings().thin));
    }
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::min(wanted, most)));
  }

  void write(DrawChunks& chunks, PhaseKind kind, std::int64_t first_draw) {
    const bool warmup = kind == PhaseKind::warmup;
    const Chunk chunk = chunks.chunk(buffers_, warmup, first_draw);
    for (std::size_t k = 0; k < recordings_.size(); ++k) {
      const CallMark mark("the recording of draws", composition_.recorders[k].get());
      recordings_[k]->write(chunk);
    }
    if (!warmup) prediction_->add(buffers_);
  }

  void tell(PhaseKind kind, std::int64_t done) {
    if (!options_.progress) return;
    Progress progress;
    progress.phase = kind;
    progress.done = done + (kind == PhaseKind::sampling ? settings().warmup : 0);
    progress.total = settings().warmup + settings().draws * settings().thin;
    progress.seconds = report_.warmup.seconds + report_.sampling.seconds;
    progress.divergences = sampler_->divergence_count();
    options_.progress(progress);
  }

  RunFooter footer() const {
    RunFooter footer;
    footer.complete = ended_by_ != "interrupt" && ended_by_ != "error";
    footer.warmup_seconds = report_.warmup.seconds;
    footer.sampling_seconds = report_.sampling.seconds;
    footer.gradients = report_.sampling.gradients;
    footer.warmup_draws = settings().record_warmup ? report_.warmup.sweeps / settings().thin : 0;
    footer.draws = draws();
    return footer;
  }

  RunResult finish(const Certificate& certificate) {
    ResultFolder& folder = *folder_;
    report_.draws = draws();
    report_.ended_by = ended_by_;
    report_.outcome = footer().complete ? "complete" : "interrupted";
    report_.threads = tbb::this_task_arena::max_concurrency();
    publish_draws();
    RunResult result;
    result.folder = folder.path();
    result.outcome = report_.outcome;
    result.ended_by = ended_by_;
    result.resumable = saved_ && ended_by_ == "interrupt";
    result.certificate = certificate;
    if (keeps_tested())
      find_tested(origin_.files.empty() ? origin_of(composition_) : origin_, result.certificate);
    result.summary_json = summary(folder.path());
    result.run_json = run_json(report_, composition_, *sampler_);
    folder.write("manifest.toml", composition_.effective_manifest);
    folder.write("graph.dot", to_dot(sampler_->graph(PhaseKind::sampling), composition_.name));
    folder.write("certificate.json", result.certificate.to_json());
    folder.write("summary.json", result.summary_json);
    folder.write("run.json", result.run_json);
    folder.end_results();
    if (!result.resumable) folder.drop_checkpoint();
    recordings_.clear();
    return result;
  }

  /// draws.nc last, so that a recorder that fails leaves the results of an earlier run alone.
  void publish_draws() {
    folder_->begin_results();
    try {
      for (auto recording = recordings_.rbegin(); recording != recordings_.rend(); ++recording) {
        (*recording)->finish(footer());
      }
    } catch (...) {
      folder_->abandon_results();
      throw;
    }
  }

  std::string summary(const std::string& path) {
    const DrawsFile draws(path);
    report_.draws_sha256 = draws.sha256();
    const std::string text =
        summary_json(draws, report_.sampling.gradients, report_.sampling.seconds);
    if (!prediction_->active()) return text;
    auto json = parse_json(text);
    json["prediction"] = {{"cases", prediction_->cases()},
                          {"error_rate", prediction_->error_rate()}};
    return json_text(json, 2) + "\n";
  }

  const Composition& composition_;
  const RunOptions& options_;
  StopRule rule_;
  Program program_;
  Origin origin_;
  std::optional<Checkpoint> found_;  ///< to go on from
  PartHashes part_hashes_{""};
  bool saved_ = false;  ///< the folder holds a checkpoint of this run
  Clock::time_point last_save_ = Clock::now();
  std::unique_ptr<Sampler> sampler_;
  ResultFolder* folder_ = nullptr;
  std::optional<SummaryCost> summary_cost_;  ///< where time ends the run
  std::unique_ptr<PredictionAverage> prediction_;
  std::vector<std::unique_ptr<Recording>> recordings_;
  DrawBuffers buffers_;
  RunReport report_;
  std::optional<Error> fault_;
  std::string ended_by_;  ///< "" while it goes on
};

}  // namespace

RunResult run(const Composition& composition, const RunOptions& options) {
  constexpr int repeated_every = 16;
  std::optional<CheckedCalls> checks;
  if (options.checked) checks.emplace(repeated_every);
  RunResult result;
  with_threads(options.threads, [&] { result = Runner(composition, options).run(); });
  return result;
}

Composition load_interrupted(const std::string& folder, const Registry& registry) {
  check_idle(folder);
  const std::string file = checkpoint_file(scratch_folder(folder));
  const std::optional<Checkpoint> found = read_checkpoint(scratch_folder(folder));
  if (!found) {
    const bool finished = std::filesystem::exists(folder + "/run.json");
    throw InputError(fmt::format(
        "{}: there is no checkpoint to go on from: {}", file,
        finished ? "the run in that folder has ended"
                 : "a run in that folder, if there was one, ended before its first checkpoint; run "
                   "its manifest again, with --out and --force for that folder"));
  }
  Composition composition = parse_manifest(found->origin.manifest, file, registry);
  composition.name = found->origin.name;
  return composition;
}

std::string summarise(const std::string& folder_or_file, const SummaryOptions& options) {
  const DrawsFile draws(folder_or_file);
  return summary_json(draws, draws.attribute("gradients"), draws.attribute("sampling_time"),
                      options);
}

}  // namespace mixwell
