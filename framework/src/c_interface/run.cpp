// The C interface: runs, and what is in their folders.
// SPDX-License-Identifier: Apache-2.0
#include "advice/run_json.hpp"
#include "c_interface/answer.hpp"
#include "c_interface/handles.hpp"
#include "certificate/record_json.hpp"
#include "files/json.hpp"
#include "files/text_file.hpp"
#include "results/summary_json.hpp"
#include "run/record.hpp"

#include <mixwell/lab/run.hpp>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <optional>

using mixwell::answer;
using mixwell::handed_out;

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

mixwell::RunOptions options_of(const mixwell_run_options& given) {
  mixwell::RunOptions options;
  options.folder = given.folder;
  options.threads = given.threads;
  options.force = given.force != 0;
  options.resume = given.resume != 0;
  options.checked = given.checked != 0;
  if (given.stop != nullptr) options.stop = &given.stop->request;
  if (given.progress == nullptr) return options;
  options.progress = [tell = given.progress, to = given.user_data](const mixwell::Progress& now) {
    tell(now.phase == mixwell::PhaseKind::sampling ? 1 : 0, now.done, now.total, now.seconds,
         now.divergences, to);
  };
  return options;
}

/// All that a run's folder says of the run.
Json folder_json(const std::string& folder) {
  const std::string manifest =
      mixwell::read_text_file((fs::path(folder) / "manifest.toml").string(), "manifest");
  std::optional<mixwell::Summary> summary;
  if (fs::exists(fs::path(folder) / "summary.json")) summary = mixwell::read_summary(folder);
  return {{"run", mixwell::read_run(folder)},
          {"certificate", mixwell::read_certificate(folder)},
          {"manifest", manifest},
          {"warnings", mixwell::warnings_json(summary, manifest)},
          {"summary", summary ? Json(*summary) : Json(nullptr)}};
}

}  // namespace

mixwell_stop* mixwell_stop_new() { return new mixwell_stop; }
void mixwell_stop_make(mixwell_stop* stop) { stop->request.make(); }
void mixwell_stop_free(mixwell_stop* stop) { delete stop; }

int mixwell_run(const mixwell_composition* composition, const mixwell_run_options* options,
                char** json) {
  return answer([&] {
    const mixwell::RunResult result = mixwell::run(composition->made, options_of(*options));
    const Json all = mixwell::run_json(result, composition->made.effective_manifest);
    *json = handed_out(mixwell::json_text(all.at("result")));
  });
}

int mixwell_load(const char* folder, char** json) {
  return answer([&] { *json = handed_out(mixwell::json_text(folder_json(folder))); });
}
