// mixwell posteriordb: what the defaults achieve on posteriors whose answers are known.
// SPDX-License-Identifier: Apache-2.0
#include "app/command.hpp"
#include "app/module.hpp"
#include "app/modules/posteriordb.hpp"
#include "app/modules/study.hpp"

#include <memory>

namespace mixwell::app {
namespace {

std::vector<Argument> posteriordb_arguments(PosteriordbArguments& given) {
  return {
      {.name = "checkout",
       .value = &given.checkout,
       .help = "Folder of a checkout of posteriordb",
       .type = "DIR",
       .required = true},
      {.name = "--only",
       .value = &given.only,
       .help = "Only posteriors whose name matches it (*, ?, [...]; without these: contains it)",
       .type = "PATTERN"},
      {.name = "--out",
       .value = &given.folder,
       .help = "Folder for the study and its results (default: out/posteriordb)",
       .type = "DIR"},
      {.name = "--engine",
       .value = &given.engine,
       .help = "Of the model `stan`: auto, compile or interpret",
       .type = "auto|compile|interpret"},
      {.name = "--jobs",
       .value = &given.jobs,
       .help = "Posteriors to sample at a time (default: all cores)",
       .is_positive = true},
      {.name = "--retry", .value = &given.retry, .help = "Sample failed ones again"},
      {.name = "--table",
       .value = &given.table,
       .help = "Print what is known so far, and run nothing"},
      {.name = "--quiet", .value = &given.quiet, .help = "No progress"},
      {.name = "--json", .value = &given.json, .help = "The table as JSON"}};
}

/// Runs what is not finished, then prints the table.
ExitCode run_posteriordb(const PosteriordbArguments& given) {
  const auto& table =
      from_module<decltype(mixwell_posteriordb_table)>("posteriordb", "mixwell_posteriordb_table");
  if (given.table) return table(given);
  from_module<decltype(mixwell_posteriordb_prepare)>("posteriordb",
                                                     "mixwell_posteriordb_prepare")(given);
  StudyArguments study;
  study.path = given.study();
  study.folder = given.results();
  study.only = given.only.empty() || given.only.find_first_of("*?[") == std::string::npos
                   ? given.only
                   : given.only + "/*";
  study.jobs = given.jobs;
  study.retry = given.retry;
  study.quiet = given.quiet || given.json;
  const ExitCode code =
      from_module<decltype(mixwell_study_command)>("study", "mixwell_study_command")(study);
  table(given);
  return code;
}

}  // namespace

Command posteriordb_command() {
  const auto given = std::make_shared<PosteriordbArguments>();
  return {
      .name = "posteriordb",
      .purpose = "Sample the posteriors of posteriordb and compare them with its reference draws",
      .arguments = posteriordb_arguments(*given),
      .example = "mixwell posteriordb ~/posteriordb --only 'eight_schools*'",
      .json = &given->json,
      .action = [given] { return run_posteriordb(*given); }};
}

}  // namespace mixwell::app
