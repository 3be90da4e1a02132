// Runs the workers of a study as Slurm jobs: writes the script, submits it and cancels the jobs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/modules.hpp"

#include <string>

namespace mixwell::app {

/// Writes the script into the existing folder of the study and submits it. Each stage is a job
/// array that waits, without a node, for the stage before it. Prints the numbers of the jobs.
/// Throws InputError if Slurm is missing or refuses the job.
void submit_to_slurm(const StudyArguments& arguments, const std::string& folder,
                     const std::string& program);

/// True if a job that was submitted for this folder is still in Slurm's queue. Also true if no job
/// was submitted, because workers may have been started in another way.
bool is_in_slurm(const std::string& folder);

/// Cancels the waiting and running jobs. The checkpoints of their cells are kept.
void cancel_slurm(const std::string& folder);

}  // namespace mixwell::app
