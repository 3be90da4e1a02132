// mixwell worker: an internal command that `mixwell study` starts to run cells of a study.
// SPDX-License-Identifier: Apache-2.0
#include "app/modules.hpp"
#include "base/memory_limit.hpp"
#include "manifest/manifest_arguments.hpp"

#include <mixwell/lab/study.hpp>

namespace mixwell::app {

ExitCode mixwell_worker(const WorkerArguments& arguments) {
  if (arguments.memory > 0) {
    choose_memory_limit({arguments.memory * 1048576.0, "[study] memory"});
    hold_memory_limit();
  }
  serve_study(load_registry());
  return ExitCode::ok;
}

}  // namespace mixwell::app
