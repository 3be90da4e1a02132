// The other side of a study: a process that looks at manifests and runs them, one after another.
// SPDX-License-Identifier: Apache-2.0
#include "study/worker.hpp"

#include "base/clock.hpp"
#include "base/memory.hpp"
#include "files/json.hpp"
#include "run/checkpoint.hpp"
#include "run/record.hpp"
#include "run/result_folder.hpp"
#include "study/cell_figures.hpp"
#include "study/reference_errors.hpp"
#include "study/status.hpp"
#include "study/trial.hpp"

#include <mixwell/abi.hpp>
#include <mixwell/durable.hpp>
#include <mixwell/error.hpp>
#include <mixwell/lab/run.hpp>
#include <mixwell/lab/study.hpp>
#include <mixwell/version.hpp>

#include <fmt/format.h>
#include <sys/prctl.h>
#include <toml++/toml.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <new>

namespace mixwell::study {
namespace {

namespace fs = std::filesystem;

std::atomic<bool> stop_requested{false};

void request_stop(int) { stop_requested.store(true); }

/// SIGTERM suspends the cell at hand; Ctrl-C in a terminal reaches the parent, which decides.
void listen_to_parent() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  struct sigaction action = {};
  action.sa_handler = request_stop;
  action.sa_flags = SA_RESTART;
  sigaction(SIGTERM, &action, nullptr);
}

/// Lines of descriptor 0.
class Lines {
 public:
  bool next(std::string& line) {
    for (;;) {
      const std::size_t end = held_.find('\n', searched_);
      if (end != std::string::npos) {
        line = held_.substr(0, end);
        held_.erase(0, end + 1);
        searched_ = 0;
        return true;
      }
      searched_ = held_.size();
      std::array<char, 1 << 16> bytes;
      const ssize_t n = ::read(STDIN_FILENO, bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      held_.append(bytes.data(), static_cast<std::size_t>(n));
    }
  }

 private:
  std::string held_;
  std::size_t searched_ = 0;
};

bool tell(const Json& answer) {
  std::string line = lenient_json_text(answer) + "\n";
  for (std::size_t done = 0; done < line.size();) {
    const ssize_t n = ::write(answer_descriptor, line.data() + done, line.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

/// The system's words for a disk that is full, a quota or a limit that is used up.
bool is_disk_trouble(const std::string& message) {
  for (const int error : {ENOSPC, EDQUOT, EFBIG}) {
    if (message.find(std::strerror(error)) != std::string::npos) return true;
  }
  return false;
}

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

void remove_folder(const std::string& folder) {
  std::error_code error;
  fs::remove_all(folder, error);
  if (error) throw RunError(fmt::format("{} cannot be removed: {}", folder, error.message()));
}

class Worker {
 public:
  explicit Worker(const Registry& registry) : registry_(registry) {}

  Json answer(const Json& request) {
    try {
      const auto task = request.at("do").get<std::string>();
      const auto start = Clock::now();
      Json made = task == "plan"      ? plan(request)
                  : task == "run"     ? run_cell(request)
                  : task == "compare" ? compare_cell(request)
                                      : trial(request);
      made["cell_seconds"] = seconds_since(start);
      return made;
    } catch (const Refused& fault) {
      return failed(std::string("refused: ") + fault.what());
    } catch (const InputError& fault) {
      return answer_with(WorkerStatus::bad_input, fault.what());
    } catch (const std::bad_alloc&) {
      return failed(out_of_memory());
    } catch (const std::exception& fault) {
      return failed(fault.what());
    } catch (...) {
      return failed("an exception of an unknown type");
    }
  }

 private:
  static Json failed(const std::string& reason) {
    return answer_with(is_disk_trouble(reason) ? WorkerStatus::disk : WorkerStatus::failed, reason);
  }

  Composition load(const Json& request) const {
    return parse_manifest(request.at("text").get<std::string>(),
                          request.at("path").get<std::string>(), registry_,
                          changes_from(request.at("changes")));
  }

  Json plan(const Json& request) const {
    const Composition composition = load(request);
    const Certificate certificate = compose(*composition.compositor).certificate;
    Json answer = {
        {"status", to_string(WorkerStatus::done)}, {"manifest", composition.effective_manifest},
        {"libraries", composition.libraries},      {"files", Json::array()},
        {"class", certificate.now.label()},        {"refused", ""}};
    for (const std::string& path : composition.files)
      answer["files"].push_back({{"named", named(composition, path)}, {"path", path}});
    try {
      refuse_unless_allowed(certificate.now, composition.run.allow);
    } catch (const Refused& fault) {
      answer["refused"] = fault.what();
    }
    if (request.value("estimate", false) && answer["refused"].get<std::string>().empty())
      answer["cost"] = estimate(composition, request);
    return answer;
  }

  /// Files of MIXWELL_DATA stand in effective manifests by their name alone.
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

  static Json estimate(const Composition& composition, const Json& request) {
    Json cost;
    try {
      with_threads(request.value("threads", 1), [&] { cost = estimate_cost(composition); });
    } catch (const Error& fault) {
      cost = {{"reason", fault.what()}};
    }
    return cost;
  }

  Json trial(const Json& request) const {
    const Composition composition = load(request);
    refuse_unless_allowed(compose(*composition.compositor).certificate.now, composition.run.allow);
    Json answer;
    with_threads(request.value("threads", 1), [&] {
      answer = evaluate_trial(composition, request.at("budget").get<double>(),
                              request.at("objective").get<std::string>(), stop_requested);
    });
    answer["status"] =
        to_string(stop_requested.load() ? WorkerStatus::suspended : WorkerStatus::done);
    return answer;
  }

  /// From the checkpoint that an interrupted worker left, unless it cannot be used: then, as
  /// without one, from the start.
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

  Json run_cell(const Json& request) {
    const auto folder = request.at("folder").get<std::string>();
    const Composition composition = load(request);
    write_durably(request.at("keep") != "summary");
    RunOptions options;
    options.folder = folder;
    options.threads = request.value("threads", 1);
    options.stop = &stop_requested;
    Json answer = {{"host", host_name()}};
    const RunResult result = run_or_go_on(composition, options);
    if (result.record.outcome == Outcome::interrupted && stop_requested.load())
      return {{"status", to_string(WorkerStatus::suspended)}};
    answer["class"] = result.certificate.now.label();
    answer["versions"] = json_text(result.record.versions);
    add_figures(result.summary, result.record, answer);
    if (request.contains("reference")) {
      with_threads(options.threads, [&] { compare(folder, request.at("reference"), answer); });
    }
    answer["summary"] = summary_json(result.summary);
    answer["run"] = json_text(result.record, 2) + "\n";
    if (request.at("keep") == "summary") remove_folder(folder);
    answer["status"] = to_string(WorkerStatus::done);
    return answer;
  }

  /// A reference that cannot be used says why, and spoils no run.
  void compare(const std::string& folder, const Json& reference, Json& answer) {
    answer["reference"] = reference.at("id");
    try {
      add_errors(folder, references_.of(reference.at("paths").get<std::vector<std::string>>()),
                 read_run(folder), answer);
    } catch (const InputError& fault) {
      answer["reference_reason"] = fault.what();
    }
  }

  Json compare_cell(const Json& request) {
    Json answer = {{"status", to_string(WorkerStatus::done)}};
    compare(request.at("folder").get<std::string>(), request.at("reference"), answer);
    return answer;
  }

  const Registry& registry_;
  References references_;
};

}  // namespace

Json changes_json(const std::vector<Override>& changes) {
  Json all = Json::array();
  for (const Override& change : changes) {
    all.push_back({change.key, change.value, change.where.file, change.where.line,
                   change.where.column, static_cast<int>(change.effect)});
  }
  return all;
}

std::vector<Override> changes_from(const Json& json) {
  std::vector<Override> changes;
  for (const Json& one : json) {
    changes.push_back({one.at(0).get<std::string>(),
                       one.at(1).get<std::string>(),
                       {one.at(2).get<std::string>(), one.at(3).get<int>(), one.at(4).get<int>()},
                       static_cast<Override::Effect>(one.at(5).get<int>())});
  }
  return changes;
}

}  // namespace mixwell::study

namespace mixwell {

void serve_study(const Registry& registry) {
  study::listen_to_parent();
  study::Lines lines;
  study::Worker worker(registry);
  std::string line;
  if (!study::tell({{"status", to_string(study::WorkerStatus::ready)}})) return;
  while (lines.next(line)) {
    if (!study::tell(worker.answer(parse_json(line)))) return;
  }
}

}  // namespace mixwell
