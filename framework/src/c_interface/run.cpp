// The C interface: runs, and what is in their folders.
// SPDX-License-Identifier: Apache-2.0
#include "advice/run_json.hpp"
#include "c_interface/answer.hpp"
#include "c_interface/handles.hpp"
#include "files/json.hpp"

#include <mixwell/lab/run.hpp>

#include <nlohmann/json.hpp>

using mixwell::answer;
using mixwell::handed_out;

namespace {

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

}  // namespace

mixwell_stop* mixwell_stop_new() { return new mixwell_stop; }
void mixwell_stop_make(mixwell_stop* stop) { stop->request.make(); }
void mixwell_stop_free(mixwell_stop* stop) { delete stop; }

int mixwell_run(const mixwell_composition* composition, const mixwell_run_options* options,
                char** json) {
  return answer([&] {
    const mixwell::RunResult result = mixwell::run(composition->made, options_of(*options));
    const nlohmann::ordered_json all =
        mixwell::run_json(result, composition->made.effective_manifest);
    *json = handed_out(mixwell::json_text(all.at("result")));
  });
}

int mixwell_load(const char* folder, char** json) {
  return answer([&] { *json = handed_out(mixwell::json_text(mixwell::folder_json(folder))); });
}
