// What the program asks of the module of studies.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/error.hpp>
#include <mixwell/export.hpp>

#include <string>
#include <vector>

namespace mixwell::app {

/// Of the jobs that work on a study; "" and 0 = as the cluster has it.
struct SlurmArguments {
  int workers = 1;
  int limit = 0;  ///< at a time
  int cpus = 0;   ///< of a worker; 0 = as many as a cell has threads
  std::string time;
  std::string partition;
  std::string memory;
  std::string account;
  std::string qos;
  std::string prologue;             ///< a file of shell commands
  std::vector<std::string> sbatch;  ///< more lines for sbatch
};

struct StudyArguments {
  std::string path;
  std::string folder;
  std::string only;
  std::string why;
  std::string scratch;
  int jobs = 0;
  bool dry_run = false;
  bool table = false;
  bool csv = false;
  bool json = false;
  bool retry = false;
  bool worker = false;
  bool prepare = false;
  bool to_slurm = false;
  bool follow = false;
  bool cancel = false;
  SlurmArguments slurm;
  bool quick = false;
  bool quiet = false;
  bool strict = false;  ///< findings are a failure
};

struct WorkerArguments {
  double memory = 0.0;  ///< MiB; 0 = no limit
};

extern "C" {
MIXWELL_EXPORT ExitCode mixwell_study_command(const StudyArguments& arguments);
MIXWELL_EXPORT ExitCode mixwell_worker(const WorkerArguments& arguments);
/// Prints the JSON schema of study files.
MIXWELL_EXPORT ExitCode mixwell_study_schema();
}

}  // namespace mixwell::app
