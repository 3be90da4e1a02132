// mixwell worker: runs the cells of a study for the process that started it. Not for people.
// SPDX-License-Identifier: Apache-2.0
#include "app/manifest_arguments.hpp"
#include "app/modules/study.hpp"

#include <mixwell/lab/study.hpp>

#include <sys/resource.h>

#include <cstdio>

namespace mixwell::app {
namespace {

/// Private memory that may be written; beyond it an allocation fails.
void limit_memory(double mebibytes) {
  const auto bytes = static_cast<rlim_t>(mebibytes * 1048576.0);
  const rlimit limit{bytes, bytes};
  if (::setrlimit(RLIMIT_DATA, &limit) != 0) std::perror("mixwell worker: setrlimit");
}

}  // namespace

ExitCode mixwell_worker(const WorkerArguments& arguments) {
  if (arguments.memory > 0) limit_memory(arguments.memory);
  serve_study(load_registry());
  return ExitCode::ok;
}

}  // namespace mixwell::app
