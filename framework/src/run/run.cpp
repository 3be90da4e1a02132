// A complete run: from a composition to a folder of results.
// SPDX-License-Identifier: Apache-2.0
#include "base/clock.hpp"
#include "base/guarded_columns.hpp"
#include "base/present_call.hpp"
#include "certificate/record_json.hpp"
#include "files/instruction_set.hpp"
#include "files/json.hpp"
#include "files/whole_file.hpp"
#include "plugin/abi_tag.hpp"
#include "results/draws_summary.hpp"
#include "results/summary_cost.hpp"
#include "results/summary_json.hpp"
#include "run/checkpoint.hpp"
#include "run/chunks.hpp"
#include "run/evidence.hpp"
#include "run/joint.hpp"
#include "run/prediction.hpp"
#include "run/record.hpp"
#include "run/rehearsal.hpp"
#include "run/result_folder.hpp"
#include "run/stop_rule.hpp"
#include "sampler/joint_run.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/lab/dot.hpp>
#include <mixwell/lab/run.hpp>
#include <mixwell/law/portions.hpp>
#include <mixwell/version.hpp>

#include <fmt/format.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

namespace mixwell {
namespace {

/// Duration of one stretch of sweeps, short enough that progress and Ctrl-C are handled soon. It
/// does not affect the draws.
constexpr double stretch_seconds = 0.2;
/// Largest size of the draws of a stretch, so that they stay in the second-level cache until
/// written.
constexpr double stretch_bytes = 2.0 * 1024 * 1024;

/// The cost of one phase.
struct PhaseCost {
  std::int64_t sweeps = 0;
  double seconds = 0.0;
  double gradients = 0.0;
  double potentials = 0.0;
  Evaluations before{};  ///< the evaluations when the phase began
};

void visit(StateVisitor& visitor, std::string_view name, PhaseCost& cost) {
  auto sweeps = static_cast<std::uint64_t>(cost.sweeps);
  visitor.count(name, sweeps);
  cost.sweeps = static_cast<std::int64_t>(sweeps);
  Eigen::MatrixXd numbers(1, 5);
  numbers << cost.seconds, cost.gradients, cost.potentials, cost.before.all, cost.before.potentials;
  visitor.numbers(name, numbers);
  cost.seconds = numbers(0);
  cost.gradients = numbers(1);
  cost.potentials = numbers(2);
  cost.before = {numbers(3), numbers(4)};
}

/// Executes one run.
class Runner {
 public:
  /// `joint` null: this process computes everything.
  Runner(const Composition& composition, const RunOptions& options, Program program,
         JointRun* joint)
      : composition_(composition),
        options_(options),
        joint_(joint),
        rule_(composition.run.stop),
        program_(std::move(program)) {}

  RunResult run() {
    refuse_unless_allowed(program_.certificate.now, settings().allow);
    // Ranks that divide data or coordinates can only evaluate together.
    if (joint_ == nullptr || composition_.division == nullptr)
      probe_wiring(composition_.compositor);
    const Certificate certificate = program_.certificate;
    make_sampler();
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
      recordings_.clear();  // removes unfinished files
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

  void make_sampler() {
    const auto make = [this] {
      sampler_ = std::make_unique<Sampler>(composition_.compositor, settings(), std::move(program_),
                                           NoiseGrid(), joint_);
    };
    if (joint_ == nullptr) return make();
    joint_->make_samplers(make);
  }

  FolderUse use_of_folder() const {
    if (options_.resume) return FolderUse::resume;
    return options_.force ? FolderUse::replace : FolderUse::empty;
  }

  void find_checkpoint() {
    const CallMark mark("the hashing of plugins and data");
    if (saves() || options_.resume) origin_ = origin_of(composition_);
    const std::string& folder = folder_->scratch();
    if (options_.resume) found_ = read_checkpoint(folder);
    part_hashes_ = PartHashes(folder);
    if (found_) {
      const std::string file = checkpoint_file(folder);
      check_same_origin(origin_moved_to(folder_->path(), *found_, file), origin_, file);
    }
    if (found_) part_hashes_.check(found_->parts);
    saved_ = found_.has_value();
  }

  /// Whether the run continues.
  bool goes_on() {
    const bool elsewhere = joint_ != nullptr && joint_->is_asked_to_stop();
    if (!ended_by_ && (elsewhere || is_made(options_.stop))) ended_by_ = EndedBy::interrupt;
    return !ended_by_;
  }

  /// Throws the error that ended the run. The message says where the draws before the error are.
  [[noreturn]] void tell_of_fault(const RunResult& result) const {
    throw Error(fault_->code(), fmt::format("{}\n  The {} draws before this error are in {}. "
                                            "Use `mixwell summary` to read them",
                                            fault_->what(), draws(), result.folder));
  }

  /// Says how the run can continue after an error.
  std::string prospects() const {
    if (!std::filesystem::exists(folder_->path())) {
      return fmt::format(
          "\n  The folder {} no longer exists, so the draws of this run are lost. Run the manifest "
          "again.",
          options_.folder);
    }
    if (!saved_) return {};
    if (!folder_->can_go_on()) {
      return fmt::format(
          "\n  The checkpoint in {} is no longer complete, so the run cannot continue. Run the "
          "manifest again.",
          folder_->scratch());
    }
    return fmt::format("\n  `mixwell run --resume {}` continues from the last checkpoint.",
                       options_.folder);
  }

  void sample(const Certificate& certificate) {
    const KernelGraph& graph = sampler_->graph(PhaseKind::sampling);
    const auto slots = static_cast<Index>(composition_.compositor->slots().size());
    const Model& model = *composition_.model();
    DrawChunks chunks(graph, model, slots, settings().replicates);
    DrawChunks warmup_chunks(sampler_->graph(PhaseKind::warmup), model, slots,
                             settings().replicates);
    prediction_ =
        std::make_unique<PredictionAverage>(whole_of(model), graph, settings().replicates);
    check_warmup_columns(composition_, warmup_chunks, chunks);
    check_summary_memory(settings(), slots * settings().replicates);
    created_at_ = found_ ? found_->created_at : timestamp();
    open_recorders(chunks.columns(), certificate);
    if (settings().stop.seconds)
      summary_cost_.emplace(summarised_elements(chunks.columns()), slots * settings().replicates);
    if (found_) restore();
    phase(PhaseKind::warmup, settings().warmup, settings().record_warmup ? &warmup_chunks : nullptr,
          warmup_);
    phase(PhaseKind::sampling, settings().draws * settings().thin, &chunks, sampling_);
    if (!ended_by_) ended_by_ = EndedBy::draws;
    if (ended_by_ == EndedBy::interrupt && saves()) save();
  }

  static Index summarised_elements(const std::vector<Column>& columns) {
    Index elements = 0;
    for (const Column& column : columns)
      if (column.group == RecordGroup::posterior) elements += column.size();
    return elements;
  }

  void open_recorders(const std::vector<Column>& columns, const Certificate& certificate) {
    RunHeader header = run_header(composition_, certificate.now, columns);
    check_summary_rows(composition_, header);
    header.path = folder_->path();
    header.scratch = folder_->scratch();
    header.created_at = created_at_;
    header.resume = found_.has_value();
    for (const auto& recorder : composition_.recorders) {
      recordings_.push_back(recorder->open(header));
    }
  }

  /// The whole state that a run needs to continue.
  void visit_state(StateVisitor& visitor) {
    sampler_->visit_state(visitor);
    visit(visitor, "warm-up", warmup_);
    visit(visitor, "sampling", sampling_);
    prediction_->visit_state(visitor);
    for (const auto& recording : recordings_) recording->visit_state(visitor);
  }

  void restore() {
    StateReader reader(std::move(found_->state));
    visit_state(reader);
    if (!reader.at_end())
      throw InputError(
          "the checkpoint does not fit this run, because it contains more data than this run "
          "saves. Run the manifest again.");
    check_sweeps("warmup", warmup_, settings().warmup);
    check_sweeps("sampling", sampling_, settings().draws * settings().thin);
  }

  static void check_sweeps(const char* phase, const PhaseCost& cost, std::int64_t all) {
    if (cost.sweeps >= 0 && cost.sweeps <= all) return;
    throw InputError(
        fmt::format("the checkpoint does not fit this run: it records {} completed sweeps of {}, "
                    "but this number must be from 0 to {}. Run the manifest again.",
                    cost.sweeps, phase, all));
  }

  void save() {
    const CallMark mark("the saving of a checkpoint");
    StateWriter writer;
    visit_state(writer);
    const std::string folder = std::filesystem::absolute(folder_->path()).lexically_normal();
    save_checkpoint(folder_->scratch(),
                    {origin_, created_at_, folder, part_hashes_.now(), writer.bytes()});
    saved_ = true;
    last_save_ = Clock::now();
  }

  /// Runs the rest of a phase in stretches. Records nothing if `chunks` is null.
  void phase(PhaseKind kind, std::int64_t sweeps, DrawChunks* chunks, PhaseCost& cost) {
    if (cost.sweeps == 0) cost.before = sampler_->evaluations();
    std::int64_t stretch = 1;
    // The run may have been interrupted during a check of the stop rules: repeat that check.
    if (found_ && kind == PhaseKind::sampling && cost.sweeps > 0 && cost.sweeps < sweeps)
      apply_rule();
    while (cost.sweeps < sweeps && goes_on()) {
      stretch = std::min({stretch, sweeps - cost.sweeps, room_before_look(kind, cost.sweeps)});
      const auto began = Clock::now();
      DrawBuffers* buffers = chunks == nullptr ? nullptr : &buffers_;
      if (!advance(kind, stretch, buffers)) break;
      if (chunks != nullptr) write(*chunks, kind, cost.sweeps / settings().thin);
      cost.sweeps += stretch;
      const double seconds = seconds_since(began);
      cost.seconds += seconds;
      const Evaluations spent = sampler_->evaluations();
      cost.gradients = spent.all - cost.before.all;
      cost.potentials = spent.potentials - cost.before.potentials;
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

  /// Time to reserve for the summary if a time limit may end the run.
  double summary_seconds() const {
    return summary_cost_ ? summary_cost_->seconds(static_cast<double>(draws())) : 0.0;
  }

  void apply_rule() {
    const std::int64_t done = sampling_.sweeps;
    const double gradients = warmup_.gradients + sampling_.gradients;
    const double seconds = warmup_.seconds + sampling_.seconds + summary_seconds();
    ended_by_ = rule_.met_by_cost(done, gradients, seconds);
    if (ended_by_ || !rule_.looks_at_draws(done)) return;
    const CallMark mark("the check of stop_min_ess and stop_mcse");
    const std::string folder = folder_->scratch() + "/look";
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) throw WriteError(folder, error.value());
    RunFooter so_far = footer();
    so_far.folder = folder;
    recordings_.front()->finish(so_far);
    try {
      ended_by_ = rule_.met_by_draws(DrawsFile(folder), options_.stop);
    } catch (const Stopped&) {
      ended_by_ = EndedBy::interrupt;
    }
  }

  /// Returns false if an operation failed. The stretch is then discarded. If no draw was recorded
  /// before the error, there is nothing to keep, so the error ends the run at once.
  bool advance(PhaseKind kind, std::int64_t sweeps, DrawBuffers* buffers) {
    try {
      sampler_->advance(kind, sweeps, buffers);
      return true;
    } catch (const Error& fault) {
      if (draws() == 0) throw;
      fault_ = fault;
      ended_by_ = EndedBy::error;
      return false;
    }
  }

  std::int64_t draws() const { return sampling_.sweeps / settings().thin; }

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
    progress.seconds = warmup_.seconds + sampling_.seconds;
    progress.divergences = sampler_->divergence_count();
    options_.progress(progress);
  }

  RunFooter footer() const {
    RunFooter footer;
    footer.complete = ended_by_ != EndedBy::interrupt && ended_by_ != EndedBy::error;
    footer.warmup_seconds = warmup_.seconds;
    footer.sampling_seconds = sampling_.seconds;
    footer.gradients = sampling_.gradients;
    footer.warmup_draws = settings().record_warmup ? warmup_.sweeps / settings().thin : 0;
    footer.draws = draws();
    return footer;
  }

  RunResult finish(const Certificate& certificate) {
    ResultFolder& folder = *folder_;
    publish_draws();
    RunResult result;
    result.folder = folder.path();
    result.certificate = certificate;
    result.certificate.published = published(composition_, certificate);
    if (keeps_tested())
      find_tested(origin_.files.empty() ? origin_of(composition_) : origin_, result.certificate);
    const DrawsFile draws(folder.path());
    result.record = record(draws);
    result.summary = summary_unless_stopped(draws);
    if (result.summary)
      for (std::string& text : rule_.remarks(*result.summary))
        result.record.remarks.push_back(std::move(text));
    result.resumable = saved_ && (ended_by_ == EndedBy::interrupt || !result.summary);
    write(result);
    if (!result.resumable) folder.drop_checkpoint();
    recordings_.clear();
    return result;
  }

  void write(const RunResult& result) const {
    ResultFolder& folder = *folder_;
    folder.write("manifest.toml", composition_.effective_manifest);
    folder.write("graph.dot", to_dot(sampler_->graph(PhaseKind::sampling), composition_.name));
    folder.write("certificate.json", json_text(record_of(result.certificate), 2) + "\n");
    if (result.summary) folder.write("summary.json", summary_json(*result.summary));
    folder.write("run.json", json_text(result.record, 2) + "\n");
    folder.end_results();
  }

  /// Writes draws.nc last, so that a failing recorder does not destroy the results of an earlier
  /// run.
  void publish_draws() {
    const CallMark mark("the completion of the recorders' files");
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

  RunRecord record(const DrawsFile& draws) const {
    RunRecord record;
    record.outcome = footer().complete ? Outcome::complete : Outcome::interrupted;
    record.ended_by = *ended_by_;
    if (fault_) record.error = fault_->what();
    record.created_at = created_at_;
    record.draws_sha256 = draws.sha256();
    record.draws = this->draws();
    record.threads = tbb::this_task_arena::max_concurrency();
    record.gradients = {warmup_.gradients, sampling_.gradients};
    record.potentials = {warmup_.potentials, sampling_.potentials};
    record.seconds = {warmup_.seconds, sampling_.seconds};
    describe(record, composition_, *sampler_);
    if (joint_ != nullptr)
      record.remarks.push_back(
          fmt::format("{} MPI ranks computed this run", joint_->ranks().size()));
    if (joint_ != nullptr && composition_.division != nullptr)
      record.remarks.push_back(
          fmt::format("each rank processed a part of the {}. Rank 0 sent {} bytes to other ranks.",
                      settings().ranks == "data" ? "data" : "coordinates",
                      composition_.division->bytes_sent()));
    return record;
  }

  /// First removes an earlier summary, because that summary describes other draws.
  std::optional<Summary> summary_unless_stopped(const DrawsFile& draws) const {
    const CallMark mark("the summary of the draws");
    for (const char* const file : {"summary.json", "summary.nc"}) folder_->remove(file);
    try {
      end_if_overdue(options_.stop, "the summary");
      return summary(draws);
    } catch (const Stopped&) {
      return std::nullopt;
    } catch (const InputError& error) {
      throw RunError(fmt::format("{}\n  All draws are in {}. `mixwell summary` can summarise them.",
                                 error.what(), folder_->path() + "/draws.nc"));
    }
  }

  /// Also writes summary.nc if the summary lacks rows.
  Summary summary(const DrawsFile& draws) const {
    SummaryOptions options;
    options.rows = settings().summary_rows;
    options.stop = options_.stop;
    const DrawsSummary all(draws, options);
    if (!all.shows_all()) folder_->write("summary.nc", all.netcdf());
    Summary found = all.summary(sampling_.gradients, sampling_.seconds);
    if (prediction_->active()) found.prediction = prediction_->summary();
    return found;
  }

  const Composition& composition_;
  const RunOptions& options_;
  JointRun* joint_;
  StopRule rule_;
  Program program_;
  Origin origin_;
  std::optional<Checkpoint> found_;  ///< the checkpoint to continue from
  PartHashes part_hashes_{""};
  bool saved_ = false;  ///< whether the folder holds a checkpoint of this run
  Clock::time_point last_save_ = Clock::now();
  std::unique_ptr<Sampler> sampler_;
  ResultFolder* folder_ = nullptr;
  std::optional<SummaryCost> summary_cost_;  ///< only if a time limit may end the run
  std::unique_ptr<PredictionAverage> prediction_;
  std::vector<std::unique_ptr<Recording>> recordings_;
  DrawBuffers buffers_;
  std::string created_at_;
  PhaseCost warmup_;
  PhaseCost sampling_;
  std::optional<Error> fault_;
  std::optional<EndedBy> ended_by_;  ///< empty while the run continues
};

Program composed(const Composition& composition) {
  return compose(*composition.compositor, recorded_cases(composition.run));
}

/// Runs `work` with the threads and checks in the options.
void as_asked(const RunOptions& options, const std::function<void()>& work) {
  constexpr int repeated_every = 16;
  std::optional<CheckedCalls> checks;
  if (options.checked) checks.emplace(repeated_every);
  with_threads(options.threads, work);
}

}  // namespace

RunResult run(const Composition& composition, const RunOptions& options) {
  RunResult result;
  as_asked(options,
           [&] { result = Runner(composition, options, composed(composition), nullptr).run(); });
  return result;
}

std::optional<RunResult> run_jointly(Ranks& ranks, const Composition& composition,
                                     const RunOptions& options) {
  std::optional<RunResult> result;
  // A thread count that one machine does not support ends all ranks.
  together(ranks, [&] { with_threads(options.threads, [] {}); });
  as_asked(options, [&] {
    std::optional<Program> program;  // oracles may evaluate the model here, on all ranks together
    together(ranks, [&] { program.emplace(composed(composition)); });
    JointRun joint(ranks, options.stop);
    if (ranks.leads()) {
      result = Runner(composition, options, std::move(*program), &joint).run();
      return;
    }
    joint.follow([&] {
      return std::make_unique<Sampler>(composition.compositor, composition.run, std::move(*program),
                                       NoiseGrid(), &joint);
    });
  });
  return result;
}

Composition load_interrupted(const std::string& folder, const Registry& registry, Ranks* ranks) {
  check_idle(folder);
  const std::string file = checkpoint_file(scratch_folder(folder));
  const std::optional<Checkpoint> found = read_checkpoint(scratch_folder(folder));
  if (!found) {
    const bool finished = std::filesystem::exists(folder + "/run.json");
    throw InputError(fmt::format(
        "{}: there is no checkpoint. {}", file,
        finished ? "The run in this folder is complete, so there is nothing to continue."
                 : "If there was a run in this folder, it ended before its first checkpoint. Run "
                   "its manifest again with --force and with --out set to this folder."));
  }
  require_instruction_set(instruction_set_in(found->origin.version),
                          file + ": this run began with");
  const Origin origin = origin_moved_to(folder, *found, file);
  Composition composition = parse_manifest(origin.manifest, file, registry, {}, ranks);
  composition.name = found->origin.name;
  return composition;
}

}  // namespace mixwell
