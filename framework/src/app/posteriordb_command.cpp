// mixwell posteriordb: what the defaults achieve on posteriors whose answers are known.
// SPDX-License-Identifier: Apache-2.0
#include "app/command.hpp"
#include "app/module.hpp"
#include "app/modules/posteriordb.hpp"
#include "app/modules/study.hpp"

#include <memory>

namespace mixwell::app {
namespace {

struct Given {
  PosteriordbArguments database;
  StudyArguments study;
};

std::vector<Argument> posteriordb_arguments(Given& given) {
  return {
      {.name = "checkout",
       .value = &given.database.checkout,
       .help = "Folder of a checkout of posteriordb",
       .type = "DIR",
       .required = true},
      {.name = "--only",
       .value = &given.study.only,
       .help = "Only posteriors whose name matches it (*, ?, [...]; without these: contains it)",
       .type = "PATTERN"},
      {.name = "--out",
       .value = &given.database.folder,
       .help = "Folder for the study and its results (default: out/posteriordb)",
       .type = "DIR"},
      {.name = "--engine",
       .value = &given.database.engine,
       .help = "Of the model `stan`: auto, compile or interpret",
       .type = "auto|compile|interpret"},
      {.name = "--jobs",
       .value = &given.study.jobs,
       .help = "Posteriors to sample at a time (default: all cores)",
       .is_positive = true},
      {.name = "--retry", .value = &given.study.retry, .help = "Sample failed ones again"},
      {.name = "--table",
       .value = &given.study.table,
       .help = "Print what is known so far, and run nothing"},
      {.name = "--quiet", .value = &given.study.quiet, .help = "No progress"},
      {.name = "--json", .value = &given.study.json, .help = "The table as JSON"}};
}

/// Runs what is not finished, then prints the table: both are those of the study.
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
  return {
      .name = "posteriordb",
      .purpose = "Sample the posteriors of posteriordb and compare them with its reference draws",
      .arguments = posteriordb_arguments(*given),
      .example = "mixwell posteriordb ~/posteriordb --only 'eight_schools*'",
      .json = &given->study.json,
      .action = [given] { return run_posteriordb(*given); }};
}

}  // namespace mixwell::app
