// mixwell study: runs many cells from one file and prints a table. mixwell worker: runs cells.
// SPDX-License-Identifier: Apache-2.0
#include "app/command.hpp"
#include "app/modules.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace mixwell::app {
namespace {

/// Options of the jobs that --slurm submits.
std::vector<Argument> slurm_arguments(SlurmArguments& given) {
  std::vector<Argument> all = {
      {"--workers",
       &given.workers,
       "Number of workers to submit",
       {.shows_default = true, .is_positive = true}},
      {"--limit",
       &given.limit,
       "Largest number of workers that run at a time (the limit after % in `sbatch --array`)",
       {.is_positive = true}},
      {"--cpus-per-task",
       &given.cpus,
       "Cores per worker (default: one per thread of a cell); more cores allow more cells at a "
       "time",
       {.is_positive = true}},
      {"--time TIME", &given.time,
       "Time limit of a worker (`sbatch --time`); a requeued worker continues unfinished cells"},
      {"--partition NAME", &given.partition, "Partition for the workers (`sbatch --partition`)"},
      {"--mem SIZE", &given.memory, "Memory per worker (`sbatch --mem`)"},
      {"--account NAME", &given.account, "Account to charge (`sbatch --account`)"},
      {"--qos NAME", &given.qos, "Quality of service (`sbatch --qos`)"},
      {"--sbatch TEXT", &given.sbatch,
       "Any other option of sbatch, for example '--constraint=avx2' (repeatable)"},
      {"--prologue FILE", &given.prologue,
       "File with shell commands to run before each worker starts, for example `module load`"}};
  for (Argument& argument : all) argument.needs = {"--slurm"};
  return all;
}

std::vector<Argument> study_arguments(StudyArguments& given) {
  std::vector<Argument> all = {
      {"study STUDY.toml|DIR", &given.path,
       "Study file (TOML); --table, --why, --follow and --cancel also accept the results folder"},
      {"--out DIR", &given.folder, "Folder for the results (default: out/NAME)"},
      {"--jobs",
       &given.jobs,
       "Number of cells to run at a time, at most eight per core (default: cores / threads of a "
       "cell)",
       {.is_positive = true}},
      {"--only PATTERN", &given.only,
       "Only cells whose id begins with PATTERN or whose label matches PATTERN (see below)"},
      {"--retry", &given.retry, "Run failed cells again"},
      {"--quick", &given.quick,
       "Run the short form of the study from [study.quick]; results are in out/NAME-quick"},
      {"--worker",
       &given.worker,
       "Run as one of several workers that share this study; exit when no cells remain",
       {.excludes = {"--retry"}}},
      {"--prepare",
       &given.prepare,
       "Write the list of cells for the workers without running any cell",
       {.excludes = {"--worker"}}},
      {"--scratch DIR", &given.scratch,
       "Local folder to run cells in; Mixwell then moves their files to the study's folder (see "
       "below)"},
      {"--dry-run", &given.dry_run,
       "List the cells with their certificates and estimated costs without running any cell"},
      {"--table",
       &given.table,
       "Print a table of all cells with the results so far",
       {.excludes = {"--dry-run"}}},
      {"--why CELL",
       &given.why,
       "Explain why CELL (the id or label of a cell) was or was not run again",
       {.excludes = {"--dry-run", "--table"}}},
      {"--strict",
       &given.strict,
       "Exit with code 1 if the study has findings, for example a variant that could not be tuned",
       {.excludes = {"--dry-run", "--why", "--prepare"}}},
      {"--quiet", &given.quiet, "Print only errors and notes (with --json, also the result)"},
      {"--csv", &given.csv, "Print the table as CSV", {.needs = {"--table"}}},
      {"--json", &given.json, "Print progress, table or plan as JSON", {.excludes = {"--csv"}}},
      {"--slurm",
       &given.to_slurm,
       "Submit workers to Slurm and exit (docs/clusters.md)",
       {.excludes = {"--dry-run", "--table", "--why", "--worker", "--prepare"}}},
      {"--follow",
       &given.follow,
       "Show the progress of the workers until the study ends",
       {.excludes = {"--slurm", "--worker"}}},
      {"--cancel",
       &given.cancel,
       "Cancel the jobs that --slurm submitted; the checkpoints of their cells are kept",
       {.excludes = {"--slurm", "--follow", "--worker"}}}};
  for (Argument& argument : slurm_arguments(given.slurm)) all.push_back(std::move(argument));
  return all;
}

}  // namespace

Command study_command() {
  const auto given = std::make_shared<StudyArguments>();
  return {
      .name = "study",
      .purpose = "Run the unfinished cells of a study (many runs from one file)",
      .arguments = study_arguments(*given),
      .example = "mixwell study examples/studies/step-size.toml --jobs 2",
      .notes =
          "The label of a cell is MODEL/VARIANT/AXES/SEED. A PATTERN with *, ? or [...] must\n"
          "match the whole label. Any other PATTERN matches if it occurs anywhere in the label.\n"
          "\n"
          "--worker: the workers may run on several machines that share the study's folder.\n"
          "\n"
          "--scratch: each cell runs in a folder inside DIR, on a local disk. When the cell ends,\n"
          "Mixwell moves the files to the study's folder. If --slurm is given, the node that runs\n"
          "the cell expands variables in DIR, for example '$TMPDIR'.",
      .json = &given->json,
      .action = [given] {
        return from_module<decltype(mixwell_study_command)>("study",
                                                            "mixwell_study_command")(*given);
      }};
}

Command worker_command() {
  const auto given = std::make_shared<WorkerArguments>();
  return {.name = "worker",
          .purpose = "Run cells for `mixwell study`, which starts this command",
          .arguments = {{"--memory", &given->memory, "Memory limit in MiB", {.is_positive = true}}},
          .action =
              [given] {
                return from_module<decltype(mixwell_worker)>("study", "mixwell_worker")(*given);
              },
          .is_hidden = true};
}

}  // namespace mixwell::app
