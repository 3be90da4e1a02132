// Connects all processes that one mpirun or srun command started, as the ranks of one run.
// SPDX-License-Identifier: Apache-2.0
#include "app/join_ranks.hpp"

#include "app/modules.hpp"

#include <mixwell/base/error.hpp>

#include <fmt/format.h>
#include <oneapi/tbb/info.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>

namespace mixwell::app {
namespace {

/// The number of processes that a launcher started, and the environment variable that holds this
/// number.
struct Launched {
  const char* variable = nullptr;
  int processes = 1;
};

int number_in(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? 0 : std::atoi(text);
}

/// srun sets the number of tasks of a step even if the tasks do not use MPI. With --mpi=pmix, each
/// task also has PMIX_RANK.
Launched launched() {
  for (const char* const variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    if (const int n = number_in(variable); n > 0) return {variable, n};
  }
  if (std::getenv("PMIX_RANK") == nullptr) return {};
  for (const char* const variable : {"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"}) {
    if (const int n = number_in(variable); n > 0) return {variable, n};
  }
  return {};
}

std::string words(const Launched& of) {
  return fmt::format(
      "{} processes were started together ({} = {}). Without a common MPI library, they would all "
      "write into the same folder",
      of.processes, of.variable, of.processes);
}

}  // namespace

std::unique_ptr<Ranks> join_ranks() {
  const Launched all = launched();
  if (all.processes < 2) return nullptr;
  if (!has_module("mpi")) {
    throw InputError(fmt::format(
        "{}. This Mixwell was built without MPI. Build Mixwell on a machine with MPI (Debian: "
        "libopenmpi-dev), or start only one process",
        words(all)));
  }
  std::unique_ptr<Ranks> ranks(
      from_module<decltype(mixwell_mpi_join)>("mpi", "mixwell_mpi_join")());
  if (ranks->size() == all.processes) return ranks;
  std::string version;
  from_module<decltype(mixwell_mpi_version)>("mpi", "mixwell_mpi_version")(version);
  throw InputError(
      fmt::format("{}. Mixwell's MPI library ({}) reports {} as the number of processes. Start the "
                  "processes with the mpirun of this library, or with srun --mpi=pmix",
                  words(all), version, ranks->size()));
}

int threads_of(const Ranks& ranks, int wanted) {
  if (wanted != 0) return wanted;
  const int cores = static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
  const int share = std::max(1, cores / ranks.on_this_host());
  return std::min(share, tbb::info::default_concurrency());
}

}  // namespace mixwell::app
