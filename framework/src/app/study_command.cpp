// mixwell study: many runs from one file, and the table of what came of them.
// SPDX-License-Identifier: Apache-2.0
#include "app/command.hpp"
#include "app/module.hpp"
#include "app/modules/study.hpp"

#include <memory>

namespace mixwell::app {
namespace {

std::vector<Argument> study_arguments(StudyArguments& given) {
  return {{.name = "study", .value = &given.path, .help = "Study file (TOML)", .required = true},
          {.name = "--out",
           .value = &given.folder,
           .help = "Folder for the results (default: out/NAME)",
           .type = "DIR"},
          {.name = "--jobs",
           .value = &given.jobs,
           .help = "Cells to run at a time, at most eight for each core (default: all cores)",
           .is_positive = true},
          {.name = "--only",
           .value = &given.only,
           .help = "Only cells whose id begins with it or whose label MODEL/VARIANT/AXES/SEED "
                   "matches it (*, ?, [...]; without these: anywhere in the label)",
           .type = "PATTERN"},
          {.name = "--retry", .value = &given.retry, .help = "Run failed cells again"},
          {.name = "--quick",
           .value = &given.quick,
           .help = "The short form that [study.quick] describes, into out/NAME-quick"},
          {.name = "--dry-run",
           .value = &given.dry_run,
           .help = "List the cells, their certificates and what they may cost"},
          {.name = "--table",
           .value = &given.table,
           .help = "Print what is known of every cell, at any time",
           .excludes = {"--dry-run"}},
          {.name = "--why",
           .value = &given.why,
           .help = "Say what made a cell run anew: its id or label",
           .type = "CELL",
           .excludes = {"--dry-run", "--table"}},
          {.name = "--quiet",
           .value = &given.quiet,
           .help = "Print nothing but errors and notes, and with --json the result"},
          {.name = "--csv", .value = &given.csv, .help = "The table as CSV", .needs = {"--table"}},
          {.name = "--json",
           .value = &given.json,
           .help = "Progress, table or plan as JSON",
           .excludes = {"--csv"}}};
}

}  // namespace

Command study_command() {
  const auto given = std::make_shared<StudyArguments>();
  return {.name = "study",
          .purpose = "Run what is not finished of a study: many runs from one file",
          .arguments = study_arguments(*given),
          .footer = footer("mixwell study examples/studies/step-size.toml --jobs 2"),
          .json = &given->json,
          .action = [given] {
            return from_module<decltype(mixwell_study)>("study", "mixwell_study")(*given);
          }};
}

}  // namespace mixwell::app
