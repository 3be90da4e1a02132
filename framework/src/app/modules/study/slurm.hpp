// Workers of a study as jobs of Slurm: the script, submitting it, and what became of the jobs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/modules.hpp"

#include <string>

namespace mixwell::app {

/// Writes the script into the study's folder, which is laid out already, and submits it: an array
/// for each stage, which waits for the one before without a node. Prints the numbers of the jobs.
/// Throws InputError where there is no Slurm or it refuses the job.
void submit_to_slurm(const StudyArguments& arguments, const std::string& folder,
                     const std::string& program);

/// Whether any job that was submitted for this folder is still in Slurm's queue; true where none
/// was, as workers may have been started otherwise.
bool is_in_slurm(const std::string& folder);

/// Takes them out of the queue and ends those that run; their cells keep their checkpoints.
void cancel_slurm(const std::string& folder);

}  // namespace mixwell::app
