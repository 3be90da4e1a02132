// What the program asks of the module of MPI.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/ranks.hpp"

#include <mixwell/export.hpp>

#include <string>

namespace mixwell::app {

extern "C" {
/// Starts MPI, once in a process; its end is that of what is returned, which is the caller's.
MIXWELL_EXPORT Ranks* mixwell_mpi_join();
/// Which MPI it is: "Open MPI v4.1.4".
MIXWELL_EXPORT void mixwell_mpi_version(std::string& version);
}

}  // namespace mixwell::app
