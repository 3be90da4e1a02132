// The modules that carry out the commands that few runs need, loaded when one of them is used.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/ranks.hpp"
#include "manifest/manifest_arguments.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/base/export.hpp>
#include <mixwell/lab/study.hpp>
#include <mixwell/lab/verify.hpp>
#include <mixwell/lab/worlds_report.hpp>

#include <string>
#include <vector>

namespace mixwell::app {

struct PosteriordbArguments {
  std::string checkout;
  std::string folder = "out/posteriordb";
  std::string engine = "auto";

  /// The study that is made.
  std::string study() const { return folder + "/posteriordb.toml"; }
};

struct ReportArguments {
  std::string path;
  std::string file;
  bool json = false;
};

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

struct StudyArguments : StudyOptions {
  std::string why;
  bool dry_run = false;
  bool table = false;
  bool csv = false;
  bool json = false;
  bool to_slurm = false;
  bool follow = false;
  bool cancel = false;
  SlurmArguments slurm;
  bool quiet = false;
  bool strict = false;  ///< findings are a failure
};

struct WorkerArguments {
  double memory = 0.0;  ///< MiB; 0 = no limit
};

struct VerifyArguments {
  ManifestArguments manifest;
  VerifySettings settings;
  int threads = 0;  ///< 0 = all cores
  bool json = false;
};

extern "C" {
/// Starts MPI, once in a process; its end is that of what is returned, which is the caller's.
MIXWELL_EXPORT Ranks* mixwell_mpi_join();
/// Which MPI it is: "Open MPI v4.1.4".
MIXWELL_EXPORT void mixwell_mpi_version(std::string& version);
/// Writes the study, its data and the reference draws.
MIXWELL_EXPORT void mixwell_posteriordb_prepare(const PosteriordbArguments& arguments);
MIXWELL_EXPORT ExitCode mixwell_report_command(const ReportArguments& arguments);
MIXWELL_EXPORT ExitCode mixwell_study_command(const StudyArguments& arguments);
MIXWELL_EXPORT ExitCode mixwell_worker(const WorkerArguments& arguments);
/// Prints the JSON schema of study files.
MIXWELL_EXPORT ExitCode mixwell_study_schema();
MIXWELL_EXPORT ExitCode mixwell_verify_command(const VerifyArguments& arguments);
/// worlds_report().
MIXWELL_EXPORT void mixwell_read_on_worlds(const Program& program, const std::string& name,
                                           bool wants_example, WorldsReport& report);
}

/// Whether this build has it.
bool has_module(const std::string& module);

/// A function of lib/mixwell/commands/MODULE.so, which stays loaded. Throws RunError that names the
/// file and the cure.
void* module_function(const std::string& module, const char* name);

/// module_function() with the type of its declaration above.
template <class Function>
Function& from_module(const std::string& module, const char* name) {
  return *reinterpret_cast<Function*>(module_function(module, name));
}

}  // namespace mixwell::app
