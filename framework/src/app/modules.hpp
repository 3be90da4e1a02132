// Modules for rarely used commands. Mixwell loads a module when its command is used.
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

  /// The study file that the command writes.
  std::string study() const { return folder + "/posteriordb.toml"; }
};

struct ReportArguments {
  std::string path;
  std::string file;
  bool json = false;
};

/// Settings of the Slurm jobs that work on a study. "" and 0 mean the default of the cluster.
struct SlurmArguments {
  int workers = 1;
  int limit = 0;  ///< largest number of workers that run at a time; 0 = no limit
  int cpus = 0;   ///< cores per worker; 0 = the number of threads of a cell
  std::string time;
  std::string partition;
  std::string memory;
  std::string account;
  std::string qos;
  std::string prologue;             ///< a file of shell commands
  std::vector<std::string> sbatch;  ///< further options of sbatch
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
  bool strict = false;  ///< treat findings as a failure
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
/// Starts MPI; call it once per process. The caller owns the result; deleting it ends MPI.
MIXWELL_EXPORT Ranks* mixwell_mpi_join();
/// The name and version of the MPI library, as in "Open MPI v4.1.4".
MIXWELL_EXPORT void mixwell_mpi_version(std::string& version);
/// Writes the study, its data and the reference draws.
MIXWELL_EXPORT void mixwell_posteriordb_prepare(const PosteriordbArguments& arguments);
MIXWELL_EXPORT ExitCode mixwell_report_command(const ReportArguments& arguments);
MIXWELL_EXPORT ExitCode mixwell_study_command(const StudyArguments& arguments);
MIXWELL_EXPORT ExitCode mixwell_worker(const WorkerArguments& arguments);
/// Prints the JSON schema of study files.
MIXWELL_EXPORT ExitCode mixwell_study_schema();
MIXWELL_EXPORT ExitCode mixwell_verify_command(const VerifyArguments& arguments);
/// Calls worlds_report().
MIXWELL_EXPORT void mixwell_read_on_worlds(const Program& program, const std::string& name,
                                           bool wants_example, WorldsReport& report);
}

/// Whether this build has the module.
bool has_module(const std::string& module);

/// A function of lib/mixwell/commands/MODULE.so. The library stays loaded. Throws a RunError that
/// names the file and the fix.
void* module_function(const std::string& module, const char* name);

/// module_function() with the type Function, taken from a declaration above.
template <class Function>
Function& from_module(const std::string& module, const char* name) {
  return *reinterpret_cast<Function*>(module_function(module, name));
}

}  // namespace mixwell::app
