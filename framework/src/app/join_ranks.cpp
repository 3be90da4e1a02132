// Whether this process is one of several that MPI started together.
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

/// What a launcher tells of how many processes it started.
struct Launched {
  const char* variable = nullptr;
  int processes = 1;
};

int number_in(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? 0 : std::atoi(text);
}

/// srun tells how many tasks a step has whether or not they speak to one another by MPI; with
/// --mpi=pmix each has a PMIX_RANK.
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
      "{} processes were started together ({} = {}), which would write into one "
      "folder each on its own",
      of.processes, of.variable, of.processes);
}

}  // namespace

std::unique_ptr<Ranks> join_ranks() {
  const Launched all = launched();
  if (all.processes < 2) return nullptr;
  if (!has_module("mpi")) {
    throw InputError(fmt::format(
        "{}: this Mixwell was built without MPI; build it where an MPI is installed (Debian: "
        "libopenmpi-dev), or start one process",
        words(all)));
  }
  std::unique_ptr<Ranks> ranks(
      from_module<decltype(mixwell_mpi_join)>("mpi", "mixwell_mpi_join")());
  if (ranks->size() == all.processes) return ranks;
  std::string version;
  from_module<decltype(mixwell_mpi_version)>("mpi", "mixwell_mpi_version")(version);
  throw InputError(
      fmt::format("{}: the MPI of Mixwell, {}, sees {}; start them with the mpirun of that MPI, or "
                  "with srun --mpi=pmix",
                  words(all), version, ranks->size()));
}

int threads_of(const Ranks& ranks, int wanted) {
  if (wanted != 0) return wanted;
  const int cores = static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
  const int share = std::max(1, cores / ranks.on_this_host());
  return std::min(share, tbb::info::default_concurrency());
}

}  // namespace mixwell::app
