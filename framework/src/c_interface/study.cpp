// The C interface: studies, and pages of runs and studies.
// SPDX-License-Identifier: Apache-2.0
#include "c_interface/answer.hpp"
#include "c_interface/handles.hpp"
#include "files/installed.hpp"
#include "files/json.hpp"

#include <mixwell/lab/report.hpp>
#include <mixwell/lab/study.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>

using mixwell::answer;
using mixwell::handed_out;

namespace {

mixwell::StudyOptions options_of(const mixwell_study_options& given) {
  mixwell::StudyOptions options;
  options.path = given.path;
  options.folder = given.folder;
  options.program = mixwell::beside_program("mixwell").string();
  options.jobs = given.jobs;
  if (given.only != nullptr) options.only = given.only;
  options.retry = given.retry != 0;
  options.quick = given.quick != 0;
  options.stop = given.stop == nullptr ? nullptr : &given.stop->request;
  options.progress = [given](const mixwell::StudyProgress& now) {
    if (given.progress != nullptr)
      given.progress(now.stage.c_str(), now.done, now.failed, now.running, now.total,
                     given.user_data);
  };
  options.remark = [given](const std::string& text) {
    if (given.remark != nullptr) given.remark(text.c_str(), given.user_data);
  };
  return options;
}

/// There is no callback for it.
void note(const std::string& text) { fmt::print(stderr, "mixwell: note: {}\n", text); }

}  // namespace

int mixwell_study(const mixwell_study_options* options, char** json) {
  return answer([&] {
    const mixwell::StudyResult result = mixwell::run_study(options_of(*options));
    *json = handed_out(mixwell::json_text({{"folder", result.folder},
                                           {"total", result.progress.total},
                                           {"done", result.progress.done},
                                           {"failed", result.progress.failed},
                                           {"interrupted", result.interrupted},
                                           {"findings", result.findings}}));
  });
}

int mixwell_study_table(const char* folder, char** json) {
  return answer([&] { *json = handed_out(mixwell::study_table_json(std::string(folder))); });
}

int mixwell_report(const char* folder, const char* file, char** written) {
  return answer([&] {
    *written = handed_out(mixwell::write_report(folder, file == nullptr ? "" : file, note));
  });
}
