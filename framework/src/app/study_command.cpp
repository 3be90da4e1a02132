// mixwell study: many runs from one file, and the table of what came of them.
// SPDX-License-Identifier: Apache-2.0
#include "app/command.hpp"
#include "app/module.hpp"
#include "app/modules/study.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace mixwell::app {
namespace {

/// Jobs on a cluster.
std::vector<Argument> slurm_arguments(StudyArguments& given) {
  SlurmArguments& slurm = given.slurm;
  return {{.name = "--slurm",
           .value = &given.to_slurm,
           .help = "Submit workers to Slurm and return (docs/clusters.md)",
           .excludes = {"--dry-run", "--table", "--why", "--worker", "--prepare"}},
          {.name = "--follow",
           .value = &given.follow,
           .help = "Show how far a study is at which workers are, until it has ended",
           .excludes = {"--slurm", "--worker"}},
          {.name = "--cancel",
           .value = &given.cancel,
           .help = "End the jobs that --slurm has submitted; their cells keep their checkpoints",
           .excludes = {"--slurm", "--follow", "--worker"}},
          {.name = "--workers",
           .value = &slurm.workers,
           .help = "Workers to submit",
           .shows_default = true,
           .is_positive = true,
           .needs = {"--slurm"}},
          {.name = "--limit",
           .value = &slurm.limit,
           .help = "Workers that may run at a time (the % of a job array)",
           .is_positive = true,
           .needs = {"--slurm"}},
          {.name = "--cpus-per-task",
           .value = &slurm.cpus,
           .help = "Cores of a worker: it runs as many cells at a time as they have threads for "
                   "(default: one cell)",
           .is_positive = true,
           .needs = {"--slurm"}},
          {.name = "--time",
           .value = &slurm.time,
           .help = "Time limit of a worker, as sbatch has it; cells go on after it",
           .type = "TIME",
           .needs = {"--slurm"}},
          {.name = "--partition",
           .value = &slurm.partition,
           .help = "As of sbatch, like the next three",
           .type = "NAME",
           .needs = {"--slurm"}},
          {.name = "--mem",
           .value = &slurm.memory,
           .help = "Memory of a worker",
           .type = "SIZE",
           .needs = {"--slurm"}},
          {.name = "--account",
           .value = &slurm.account,
           .help = "Whom it is charged to",
           .type = "NAME",
           .needs = {"--slurm"}},
          {.name = "--qos",
           .value = &slurm.qos,
           .help = "Quality of service",
           .type = "NAME",
           .needs = {"--slurm"}},
          {.name = "--sbatch",
           .value = &slurm.sbatch,
           .help = "Any other option of sbatch, such as '--constraint=avx2'; may be repeated",
           .type = "TEXT",
           .needs = {"--slurm"}},
          {.name = "--prologue",
           .value = &slurm.prologue,
           .help = "Shell commands that come before the worker, such as `module load`",
           .type = "FILE",
           .needs = {"--slurm"}}};
}

std::vector<Argument> study_arguments(StudyArguments& given) {
  std::vector<Argument> all = {
      {.name = "study",
       .value = &given.path,
       .help = "Study file (TOML), or with --table, --why, --follow, --cancel its results",
       .type = "STUDY.toml|DIR",
       .required = true},
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
      {.name = "--worker",
       .value = &given.worker,
       .help = "Be one of several processes at work on the study, here or on other machines "
               "that see its folder; end when nothing is left for this one",
       .excludes = {"--retry"}},
      {.name = "--prepare",
       .value = &given.prepare,
       .help = "Write down for workers what the cells are, and run none",
       .excludes = {"--worker"}},
      {.name = "--scratch",
       .value = &given.scratch,
       .help = "Run each cell in a folder there, on a disk of the machine, and move its files to "
               "the study's folder when it ends; with --slurm, '$TMPDIR' is that of the node",
       .type = "DIR"},
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
      {.name = "--strict",
       .value = &given.strict,
       .help = "Exit with code 1 where the study has findings, such as a tuning without a score",
       .excludes = {"--dry-run", "--why", "--prepare"}},
      {.name = "--quiet",
       .value = &given.quiet,
       .help = "Print nothing but errors and notes, and with --json the result"},
      {.name = "--csv", .value = &given.csv, .help = "The table as CSV", .needs = {"--table"}},
      {.name = "--json",
       .value = &given.json,
       .help = "Progress, table or plan as JSON",
       .excludes = {"--csv"}}};
  for (Argument& argument : slurm_arguments(given)) all.push_back(std::move(argument));
  return all;
}

}  // namespace

Command study_command() {
  const auto given = std::make_shared<StudyArguments>();
  return {.name = "study",
          .purpose = "Run what is not finished of a study: many runs from one file",
          .arguments = study_arguments(*given),
          .example = "mixwell study examples/studies/step-size.toml --jobs 2",
          .json = &given->json,
          .action = [given] {
            return from_module<decltype(mixwell_study_command)>("study",
                                                                "mixwell_study_command")(*given);
          }};
}

}  // namespace mixwell::app
