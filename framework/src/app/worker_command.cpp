// mixwell worker: runs the cells of a study for the process that started it. Not for people.
// SPDX-License-Identifier: Apache-2.0
#include "app/command.hpp"
#include "app/module.hpp"
#include "app/modules/study.hpp"

#include <memory>

namespace mixwell::app {

Command worker_command() {
  const auto given = std::make_shared<WorkerArguments>();
  return {.name = "worker",
          .purpose = "Serve `mixwell study`; not for use by hand",
          .arguments = {{.name = "--memory",
                         .value = &given->memory,
                         .help = "Limit in MiB",
                         .is_positive = true}},
          .action =
              [given] {
                return from_module<decltype(mixwell_worker)>("study", "mixwell_worker")(*given);
              },
          .is_hidden = true};
}

}  // namespace mixwell::app
