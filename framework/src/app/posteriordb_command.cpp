// mixwell posteriordb: samples the posteriors of posteriordb with Mixwell's defaults.
// SPDX-License-Identifier: Apache-2.0
#include "app/command.hpp"
#include "app/modules.hpp"

#include <memory>

namespace mixwell::app {
namespace {

struct Given {
  PosteriordbArguments database;
  StudyArguments study;
};

std::vector<Argument> posteriordb_arguments(Given& given) {
  return {{"checkout DIR", &given.database.checkout, "Folder of a checkout of posteriordb"},
          {"--only PATTERN", &given.study.only,
           "Only posteriors whose name contains PATTERN, or matches it if PATTERN has *, ? or "
           "[...]"},
          {"--out DIR", &given.database.folder,
           "Folder for the study and its results (default: out/posteriordb)"},
          {"--engine auto|compile|interpret", &given.database.engine,
           "Engine of the model `stan`: auto, compile or interpret"},
          {"--jobs",
           &given.study.jobs,
           "Number of posteriors to sample at a time (default: the number of cores)",
           {.is_positive = true}},
          {"--retry", &given.study.retry, "Retry the posteriors whose sampling failed"},
          {"--table", &given.study.table, "Print the results so far without sampling"},
          {"--quiet", &given.study.quiet, "Do not show progress"},
          {"--json", &given.study.json, "Print the table as JSON"}};
}

/// Runs the unfinished posteriors, then prints the table. `mixwell study` does both.
ExitCode run_posteriordb(const Given& given) {
  const auto& of_study =
      from_module<decltype(mixwell_study_command)>("study", "mixwell_study_command");
  StudyArguments table = given.study;
  table.path = given.database.study();
  table.folder = given.database.folder + "/results";
  StudyArguments run = table;
  table.table = true;
  if (given.study.table) return of_study(table);
  from_module<decltype(mixwell_posteriordb_prepare)>("posteriordb",
                                                     "mixwell_posteriordb_prepare")(given.database);
  if (run.only.find_first_of("*?[") != std::string::npos) run.only += "/*";
  run.quiet = run.quiet || run.json;
  run.json = false;
  const ExitCode code = of_study(run);
  of_study(table);
  return code;
}

}  // namespace

Command posteriordb_command() {
  const auto given = std::make_shared<Given>();
  return {.name = "posteriordb",
          .purpose =
              "Sample the posteriors of posteriordb and compare the draws with its reference draws",
          .arguments = posteriordb_arguments(*given),
          .example = "mixwell posteriordb ~/posteriordb --only 'eight_schools*'",
          .json = &given->study.json,
          .action = [given] { return run_posteriordb(*given); }};
}

}  // namespace mixwell::app
