// A worker process of a study: it plans and runs manifests one after another.
// SPDX-License-Identifier: Apache-2.0
#include "base/clock.hpp"
#include "base/host.hpp"
#include "base/memory_limit.hpp"
#include "run/checkpoint.hpp"
#include "run/result_folder.hpp"
#include "study/measuring.hpp"
#include "system/system.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/files/files.hpp>
#include <mixwell/lab/run.hpp>
#include <mixwell/lab/stop_request.hpp>
#include <mixwell/lab/study.hpp>

#include <fmt/format.h>
#include <toml++/toml.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <new>
#include <thread>

namespace mixwell::study {
namespace {

namespace fs = std::filesystem;

StopRequest stop;

void request_stop(int) { stop.make(); }

/// SIGTERM suspends the present cell. Ctrl-C in a terminal is ignored here, because the parent
/// handles it.
void listen_to_parent() {
  end_with_parent();
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  struct sigaction action = {};
  action.sa_handler = request_stop;
  action.sa_flags = SA_RESTART;
  sigaction(SIGTERM, &action, nullptr);
}

bool tell(const std::string& line) { return write_line(answer_descriptor, line); }

/// Whether a message contains the system's text for a full disk, a quota or a file size limit.
bool is_disk_trouble(const std::string& message) {
  for (const int error : {ENOSPC, EDQUOT, EFBIG}) {
    if (message.find(std::strerror(error)) != std::string::npos) return true;
  }
  return false;
}

void remove_folder(const std::string& folder) {
  std::error_code error;
  fs::remove_all(folder, error);
  if (error)
    throw RunError(
        fmt::format("Mixwell cannot remove {}: {}. Check the disk.", folder, error.message()));
}

class Worker {
 public:
  explicit Worker(const Registry& registry) : registry_(registry) {}

  WorkerAnswer answer(const WorkerRequest& request) {
    try {
      return std::visit([this](const auto& task) { return carry_out(task); }, request);
    } catch (const Refused& fault) {
      return failed(std::string("refused: ") + fault.what());
    } catch (const InputError& fault) {
      return {WorkerStatus::bad_input, fault.what(), {}};
    } catch (const std::bad_alloc&) {
      return failed(out_of_memory());
    } catch (const std::exception& fault) {
      return failed(fault.what());
    } catch (...) {
      return failed(
          "a component threw an exception of an unknown type. Report this to the author of the "
          "component.");
    }
  }

 private:
  static WorkerAnswer failed(const std::string& reason) {
    return {is_disk_trouble(reason) ? WorkerStatus::disk : WorkerStatus::failed, reason, {}};
  }

  template <class Result>
  static WorkerAnswer done(Result result) {
    return {WorkerStatus::done, "", std::move(result)};
  }

  static WorkerAnswer suspended() { return {WorkerStatus::suspended, "", {}}; }

  /// Loads a manifest. In a study, predictions for groups of cases are recorded only if the
  /// manifest sets run.predictive.
  Composition load(const CellManifest& manifest) const {
    std::vector<Override> changes = manifest.changes;
    if (!says_predictive(manifest.text))
      changes.insert(changes.begin(), {.key = "run.predictive", .value = "none"});
    return parse_manifest(manifest.text, manifest.path, registry_, changes);
  }

  /// Whether a manifest sets run.predictive. Ignores invalid TOML, because parse_manifest() reports
  /// it.
  static bool says_predictive(const std::string& manifest) {
    try {
      return static_cast<bool>(toml::parse(manifest)["run"]["predictive"]);
    } catch (const toml::parse_error&) {
      return false;
    }
  }

  WorkerAnswer carry_out(const PlanRequest& request) const {
    const Composition composition = load(request.manifest);
    const Certificate certificate = compose(*composition.compositor).certificate;
    CellPlan plan;
    plan.manifest = composition.effective_manifest;
    plan.libraries = composition.libraries;
    plan.certificate = certificate.now.certificate_class();
    for (const std::string& path : composition.files)
      plan.files.push_back({named(composition, path), path, ""});
    try {
      refuse_unless_allowed(certificate.now, composition.run.allow);
    } catch (const Refused& fault) {
      plan.refused = fault.what();
    }
    if (request.estimate && plan.refused.empty())
      plan.cost = estimate(composition, request.threads);
    return done(std::move(plan));
  }

  /// The name of a file in the effective manifest. Files from MIXWELL_DATA appear there without
  /// their folder.
  static std::string named(const Composition& composition, const std::string& path) {
    std::string best = path;
    const toml::table manifest = toml::parse(composition.effective_manifest);
    const auto look = [&](const auto& self, const toml::node& node) -> void {
      if (const toml::table* const table = node.as_table()) {
        for (const auto& [key, value] : *table) self(self, value);
      } else if (const auto* const text = node.as_string()) {
        const std::string& value = **text;
        if (value != path && !value.empty() && path.ends_with("/" + value)) best = value;
      }
    };
    look(look, manifest);
    return best;
  }

  static CostEstimate estimate(const Composition& composition, int threads) {
    CostEstimate cost;
    try {
      with_threads(threads, [&] { cost = estimate_cost(composition); });
    } catch (const Error& fault) {
      cost.reason = fault.what();
    }
    return cost;
  }

  WorkerAnswer carry_out(const TrialRequest& request) const {
    const Composition composition = load(request.manifest);
    refuse_unless_allowed(compose(*composition.compositor).certificate.now, composition.run.allow);
    TrialResult result;
    with_threads(request.threads, [&] {
      result = evaluate_trial(composition, request.budget, request.objective, stop);
    });
    return stop.is_made() ? suspended() : done(std::move(result));
  }

  /// Continues from the checkpoint of an interrupted worker. Starts from the beginning if there is
  /// no usable checkpoint.
  static RunResult run_or_go_on(const Composition& composition, RunOptions& options) {
    options.resume = fs::exists(checkpoint_file(scratch_folder(options.folder)));
    if (options.resume) {
      try {
        return run(composition, options);
      } catch (const InputError&) {
        options.resume = false;
      }
    }
    remove_folder(options.folder);
    return run(composition, options);
  }

  /// Runs a cell. After an error, moves the files to the folder of the cell.
  static RunResult run_in(const CellPlace& place, const Composition& composition, int threads) {
    RunOptions options;
    options.folder = place.folder();
    options.threads = threads;
    options.stop = &stop;
    try {
      return run_or_go_on(composition, options);
    } catch (...) {
      place.bring_home();
      throw;
    }
  }

  /// The reason why a run must wait: another process uses its folder. "" if the folder is free.
  /// Waits 3 s first, because a worker whose parent was killed ends within a moment.
  static std::string busy(const std::string& folder) {
    constexpr double patience = 3.0;
    for (const auto start = Clock::now();;) {
      try {
        check_idle(folder);
        return "";
      } catch (const InputError& fault) {
        if (seconds_since(start) > patience || stop.is_made()) return fault.what();
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }

  WorkerAnswer carry_out(const RunRequest& request) {
    const auto start = Clock::now();
    if (const std::string why = busy(request.folder); !why.empty())
      return {WorkerStatus::suspended, why, {}};
    const Composition composition = load(request.manifest);
    const CellPlace place(request.folder, request.scratch);
    write_durably(request.keeps_draws && request.scratch.empty());
    const RunResult result = run_in(place, composition, request.threads);
    if (stop.is_made() && !result.summary) {
      place.bring_home();
      return suspended();
    }
    CellFigures figures = cell_figures(result);
    figures.row.host = host_name();
    if (request.reference) {
      with_threads(request.threads,
                   [&] { figures.errors = errors(place.folder(), *request.reference); });
    }
    request.keeps_draws ? place.bring_home() : remove_folder(request.folder);
    figures.row.cell_seconds = seconds_since(start);
    return done(std::move(figures));
  }

  /// If the reference cannot be used, only reports the reason. The run stays valid.
  ReferenceErrors errors(const std::string& folder, const ReferenceFiles& reference) {
    ReferenceErrors found;
    try {
      found = errors_against(references_.of(reference.paths), DrawsFile(folder), read_run(folder));
    } catch (const InputError& fault) {
      found.reason = fault.what();
    }
    found.reference = reference.id;
    return found;
  }

  WorkerAnswer carry_out(const CompareRequest& request) {
    return done(errors(request.folder, request.reference));
  }

  const Registry& registry_;
  References references_;
};

}  // namespace

}  // namespace mixwell::study

namespace mixwell {

void serve_study(const Registry& registry) {
  study::listen_to_parent();
  std::ios::sync_with_stdio(false);  // faster for lines of several megabytes
  study::Worker worker(registry);
  std::string line;
  if (!study::tell("ready")) return;
  while (std::getline(std::cin, line) && !std::cin.eof()) {
    if (!study::tell(line_of(worker.answer(study::request_from(line))))) return;
  }
}

}  // namespace mixwell
