// A whole run: from a composition to a folder of results.
// SPDX-License-Identifier: Apache-2.0
#include "draw_chunks.hpp"
#include "prediction.hpp"
#include "result_folder.hpp"
#include "run_report.hpp"

#include <mixwell/draws.hpp>
#include <mixwell/error.hpp>
#include <mixwell/run.hpp>
#include <mixwell/version.hpp>

#include <fmt/format.h>
#include <oneapi/tbb/task_arena.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <optional>

namespace mixwell {
namespace {

/// A stretch of sweeps lasts about this long, so that progress and Ctrl-C are answered soon; its
/// length has no influence on the draws.
constexpr double kStretchSeconds = 0.2;
/// Draws of a stretch stay in the second-level cache until they are written.
constexpr double kStretchBytes = 2.0 * 1024 * 1024;

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// All that one run needs at hand.
class Runner {
 public:
  Runner(const Composition& composition, const RunOptions& options)
      : composition_(composition), options_(options), program_(compose(*composition.compositor)) {}

  RunResult run() {
    refuse_unless_allowed(program_.certificate.now, settings().allow);
    const Certificate certificate = program_.certificate;
    sampler_ = std::make_unique<Sampler>(composition_.compositor, settings(), std::move(program_));
    sampler_->initialise();
    ResultFolder folder(options_.folder, options_.force);
    try {
      sample();
      RunResult result = finish(folder, certificate);
      folder.keep();
      if (fault_) tell_of_fault(result);
      return result;
    } catch (...) {
      recordings_.clear();  // takes away what was half written
      throw;
    }
  }

 private:
  const RunSettings& settings() const { return composition_.run; }
  bool stopped() const { return fault_ || (options_.stop != nullptr && options_.stop->load()); }

  /// The error that an operation ended the run with, and where the draws before it are.
  [[noreturn]] void tell_of_fault(const RunResult& result) const {
    throw Error(fault_->code(), fmt::format("{}\n  the {} draws before it are kept in {}",
                                            fault_->what(), report_.draws, result.folder));
  }

  void sample() {
    const KernelGraph& graph = sampler_->graph(PhaseKind::sampling);
    const auto slots = static_cast<Index>(composition_.compositor->slots().size());
    DrawChunks chunks(graph, slots, settings().replicates);
    DrawChunks warmup_chunks(sampler_->graph(PhaseKind::warmup), slots, settings().replicates);
    prediction_ =
        std::make_unique<PredictionAverage>(*composition_.model(), graph, settings().replicates);
    if (settings().record_warmup && !(warmup_chunks.columns() == chunks.columns())) {
      throw InputError(
          "[run] record_warmup = true: warm-up and sampling record different variables in this "
          "composition; set it to false");
    }
    report_.created_at = timestamp();
    open_recorders(chunks.columns(), slots);
    report_.warmup = phase(PhaseKind::warmup, settings().warmup,
                           settings().record_warmup ? &warmup_chunks : nullptr);
    report_.sampling = phase(PhaseKind::sampling, settings().draws * settings().thin, &chunks);
    report_.draws = report_.sampling.sweeps / settings().thin;
  }

  void open_recorders(const std::vector<Column>& columns, Index slots) {
    RunHeader header;
    header.path = options_.folder;
    header.run_name = composition_.name;
    header.created_at = report_.created_at;
    header.version = MIXWELL_VERSION;
    header.certificate = program_.certificate.now.label();
    header.replicates = settings().replicates;
    header.slots = slots;
    header.warmup = settings().warmup;
    header.thin = settings().thin;
    header.draws = settings().draws;
    header.record_warmup = settings().record_warmup;
    header.columns = columns;
    for (const auto& recorder : composition_.recorders) {
      recordings_.push_back(recorder->open(header));
    }
  }

  /// Runs a phase stretch by stretch; `chunks` null = nothing is recorded.
  PhaseCost phase(PhaseKind kind, std::int64_t sweeps, DrawChunks* chunks) {
    PhaseCost cost;
    const double gradients = sampler_->gradients();
    const auto start = Clock::now();
    std::int64_t stretch = 1;
    while (cost.sweeps < sweeps && !stopped()) {
      stretch = std::min(stretch, sweeps - cost.sweeps);
      const auto began = Clock::now();
      DrawBuffers* buffers = chunks == nullptr ? nullptr : &buffers_;
      if (!advance(kind, stretch, buffers)) break;
      if (chunks != nullptr) write(*chunks, kind, cost.sweeps / settings().thin);
      cost.sweeps += stretch;
      cost.seconds = seconds_since(start);
      tell(kind, cost.sweeps);
      stretch = next_stretch(stretch, seconds_since(began), chunks);
    }
    cost.gradients = sampler_->gradients() - gradients;
    return cost;
  }

  /// False if an operation refused to go on; then nothing of the stretch counts. Without a recorded
  /// draw there is nothing to keep, and the error ends the run at once.
  bool advance(PhaseKind kind, std::int64_t sweeps, DrawBuffers* buffers) {
    try {
      sampler_->advance(kind, sweeps, buffers);
      return true;
    } catch (const Error& fault) {
      if (!has_draws_) throw;
      fault_ = fault;
      report_.error = fault.what();
      return false;
    }
  }

  std::int64_t next_stretch(std::int64_t last, double seconds, const DrawChunks* chunks) const {
    const double wanted = static_cast<double>(last) * kStretchSeconds / std::max(seconds, 1e-6);
    double most = 4.0 * static_cast<double>(last);
    if (chunks != nullptr) {
      const double fits = kStretchBytes / static_cast<double>(chunks->bytes_per_draw());
      most = std::min(most, fits * static_cast<double>(settings().thin));
    }
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::min(wanted, most)));
  }

  void write(DrawChunks& chunks, PhaseKind kind, std::int64_t first_draw) {
    const bool warmup = kind == PhaseKind::warmup;
    const Chunk chunk = chunks.chunk(buffers_, warmup, first_draw);
    for (const auto& recording : recordings_) recording->write(chunk);
    if (!warmup) prediction_->add(buffers_);
    has_draws_ = has_draws_ || (!warmup && chunk.draws > 0);
  }

  void tell(PhaseKind kind, std::int64_t done) {
    if (!options_.progress) return;
    Progress progress;
    progress.phase = kind;
    progress.done = done + (kind == PhaseKind::sampling ? settings().warmup : 0);
    progress.total = settings().warmup + settings().draws * settings().thin;
    progress.seconds = seconds_since(began_);
    progress.divergences = sampler_->divergence_count();
    options_.progress(progress);
  }

  RunResult finish(const ResultFolder& folder, const Certificate& certificate) {
    report_.outcome = report_.draws == settings().draws ? "complete" : "interrupted";
    report_.threads = tbb::this_task_arena::max_concurrency();
    RunFooter footer;
    footer.complete = report_.outcome == "complete";
    footer.warmup_seconds = report_.warmup.seconds;
    footer.sampling_seconds = report_.sampling.seconds;
    footer.gradients = report_.sampling.gradients;
    footer.warmup_draws = settings().record_warmup ? report_.warmup.sweeps / settings().thin : 0;
    footer.draws = report_.draws;
    for (const auto& recording : recordings_) recording->finish(footer);
    RunResult result;
    result.folder = folder.path();
    result.outcome = report_.outcome;
    result.certificate = certificate;
    result.summary_json = summary(folder.path());
    result.run_json = run_json(report_, composition_, *sampler_);
    folder.write("manifest.toml", composition_.effective_manifest);
    folder.write("graph.dot", to_dot(sampler_->graph(PhaseKind::sampling), composition_.name));
    folder.write("certificate.json", certificate.to_json());
    folder.write("summary.json", result.summary_json);
    folder.write("run.json", result.run_json);
    return result;
  }

  std::string summary(const std::string& path) {
    const DrawsFile draws(path);
    report_.draws_sha256 = draws.sha256();
    const std::string text =
        summary_json(draws, report_.sampling.gradients, report_.sampling.seconds);
    if (!prediction_->active()) return text;
    auto json = nlohmann::ordered_json::parse(text);
    json["prediction"] = {{"cases", prediction_->cases()},
                          {"error_rate", prediction_->error_rate()}};
    return json.dump(2) + "\n";
  }

  const Composition& composition_;
  const RunOptions& options_;
  Program program_;
  std::unique_ptr<Sampler> sampler_;
  std::unique_ptr<PredictionAverage> prediction_;
  std::vector<std::unique_ptr<Recording>> recordings_;
  DrawBuffers buffers_;
  RunReport report_;
  std::optional<Error> fault_;
  bool has_draws_ = false;  ///< of the sampling phase
  Clock::time_point began_ = Clock::now();
};

}  // namespace

RunResult run(const Composition& composition, const RunOptions& options) {
  RunResult result;
  with_threads(options.threads, [&] { result = Runner(composition, options).run(); });
  return result;
}

std::string summarise(const std::string& folder_or_file, const SummaryOptions& options) {
  const DrawsFile draws(folder_or_file);
  return summary_json(draws, draws.attribute("gradients"), draws.attribute("sampling_time"),
                      options);
}

}  // namespace mixwell
