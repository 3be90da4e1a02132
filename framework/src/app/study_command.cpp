// mixwell study: many runs from one file, and their table; and mixwell worker, which it starts.
// SPDX-License-Identifier: Apache-2.0
#include "app/command.hpp"
#include "app/modules.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace mixwell::app {
namespace {

/// Of the jobs that --slurm submits.
std::vector<Argument> slurm_arguments(SlurmArguments& given) {
  std::vector<Argument> all = {
      {"--workers",
       &given.workers,
       "Workers to submit",
       {.shows_default = true, .is_positive = true}},
      {"--limit",
       &given.limit,
       "Workers that may run at a time (the % of a job array)",
       {.is_positive = true}},
      {"--cpus-per-task",
       &given.cpus,
       "Cores of a worker: it runs as many cells at a time as they have threads for (default: one "
       "cell)",
       {.is_positive = true}},
      {"--time TIME", &given.time,
       "Time limit of a worker, as sbatch has it; cells go on after it"},
      {"--partition NAME", &given.partition, "As of sbatch, like the next three"},
      {"--mem SIZE", &given.memory, "Memory of a worker"},
      {"--account NAME", &given.account, "Whom it is charged to"},
      {"--qos NAME", &given.qos, "Quality of service"},
      {"--sbatch TEXT", &given.sbatch,
       "Any other option of sbatch, such as '--constraint=avx2'; may be repeated"},
      {"--prologue FILE", &given.prologue,
       "Shell commands that come before the worker, such as `module load`"}};
  for (Argument& argument : all) argument.needs = {"--slurm"};
  return all;
}

std::vector<Argument> study_arguments(StudyArguments& given) {
  std::vector<Argument> all = {
      {"study STUDY.toml|DIR", &given.path,
       "Study file (TOML), or with --table, --why, --follow, --cancel its results"},
      {"--out DIR", &given.folder, "Folder for the results (default: out/NAME)"},
      {"--jobs",
       &given.jobs,
       "Cells to run at a time, at most eight for each core (default: all cores)",
       {.is_positive = true}},
      {"--only PATTERN", &given.only,
       "Only cells whose id begins with it or whose label MODEL/VARIANT/AXES/SEED matches it (*, "
       "?, [...]; without these: anywhere in the label)"},
      {"--retry", &given.retry, "Run failed cells again"},
      {"--quick", &given.quick, "The short form that [study.quick] describes, into out/NAME-quick"},
      {"--worker",
       &given.worker,
       "Be one of several processes at work on the study, here or on other machines that see its "
       "folder; end when nothing is left for this one",
       {.excludes = {"--retry"}}},
      {"--prepare",
       &given.prepare,
       "Write down for workers what the cells are, and run none",
       {.excludes = {"--worker"}}},
      {"--scratch DIR", &given.scratch,
       "Run each cell in a folder there, on a disk of the machine, and move its files to the "
       "study's folder when it ends; with --slurm, '$TMPDIR' is that of the node"},
      {"--dry-run", &given.dry_run, "List the cells, their certificates and what they may cost"},
      {"--table",
       &given.table,
       "Print what is known of every cell, at any time",
       {.excludes = {"--dry-run"}}},
      {"--why CELL",
       &given.why,
       "Say what made a cell run anew: its id or label",
       {.excludes = {"--dry-run", "--table"}}},
      {"--strict",
       &given.strict,
       "Exit with code 1 where the study has findings, such as a tuning without a score",
       {.excludes = {"--dry-run", "--why", "--prepare"}}},
      {"--quiet", &given.quiet, "Print nothing but errors and notes, and with --json the result"},
      {"--csv", &given.csv, "The table as CSV", {.needs = {"--table"}}},
      {"--json", &given.json, "Progress, table or plan as JSON", {.excludes = {"--csv"}}},
      {"--slurm",
       &given.to_slurm,
       "Submit workers to Slurm and return (docs/clusters.md)",
       {.excludes = {"--dry-run", "--table", "--why", "--worker", "--prepare"}}},
      {"--follow",
       &given.follow,
       "Show how far a study is at which workers are, until it has ended",
       {.excludes = {"--slurm", "--worker"}}},
      {"--cancel",
       &given.cancel,
       "End the jobs that --slurm has submitted; their cells keep their checkpoints",
       {.excludes = {"--slurm", "--follow", "--worker"}}}};
  for (Argument& argument : slurm_arguments(given.slurm)) all.push_back(std::move(argument));
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

Command worker_command() {
  const auto given = std::make_shared<WorkerArguments>();
  return {.name = "worker",
          .purpose = "Serve `mixwell study`; not for use by hand",
          .arguments = {{"--memory", &given->memory, "Limit in MiB", {.is_positive = true}}},
          .action =
              [given] {
                return from_module<decltype(mixwell_worker)>("study", "mixwell_worker")(*given);
              },
          .is_hidden = true};
}

}  // namespace mixwell::app
