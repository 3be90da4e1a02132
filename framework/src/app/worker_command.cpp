// mixwell worker: runs the cells of a study for the process that started it. Not for people.
// SPDX-License-Identifier: Apache-2.0
#include "app/command.hpp"

#include <mixwell/lab/study.hpp>

#include <sys/resource.h>

#include <cstdio>
#include <memory>

namespace mixwell::app {
namespace {

/// Private memory that may be written; beyond it an allocation fails.
void limit_memory(double mebibytes) {
  const auto bytes = static_cast<rlim_t>(mebibytes * 1048576.0);
  const rlimit limit{bytes, bytes};
  if (::setrlimit(RLIMIT_DATA, &limit) != 0) std::perror("mixwell worker: setrlimit");
}

}  // namespace

void add_worker(CLI::App& program, Invocation& invocation) {
  const auto memory = std::make_shared<double>(0.0);
  CLI::App* const command =
      program.add_subcommand("worker", "Serve `mixwell study`; not for use by hand")->group("");
  command->add_option("--memory", *memory, "Limit in MiB")->check(CLI::PositiveNumber);
  command->callback([&invocation, memory] {
    invocation.action = [memory] {
      if (*memory > 0) limit_memory(*memory);
      serve_study(load_registry());
      return ExitCode::ok;
    };
  });
}

}  // namespace mixwell::app
