// What the program asks of the module of studies.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/error.hpp>
#include <mixwell/export.hpp>

#include <string>

namespace mixwell::app {

struct StudyArguments {
  std::string path;
  std::string folder;
  std::string only;
  std::string why;
  int jobs = 0;
  bool dry_run = false;
  bool table = false;
  bool csv = false;
  bool json = false;
  bool retry = false;
  bool quick = false;
  bool quiet = false;
};

struct WorkerArguments {
  double memory = 0.0;  ///< MiB; 0 = no limit
};

extern "C" {
MIXWELL_EXPORT ExitCode mixwell_study(const StudyArguments& arguments);
MIXWELL_EXPORT ExitCode mixwell_worker(const WorkerArguments& arguments);
/// Prints the JSON schema of study files.
MIXWELL_EXPORT ExitCode mixwell_study_schema();
}

}  // namespace mixwell::app
