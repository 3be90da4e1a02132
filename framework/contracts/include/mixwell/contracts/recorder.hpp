// The contract of every Recorder.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/contracts/finding.hpp>
#include <mixwell/recorder.hpp>

#include <functional>
#include <string>

namespace mixwell::contracts {

/// Returns the contents of the files in a folder as bytes. Equal results give equal bytes.
using Contents = std::function<std::string(const std::string& folder)>;

/// Returns every file by name and bytes. For draws.nc it returns all draws that DrawsFile reads,
/// and their hash.
std::string read_contents(const std::string& folder);

/// Records a synthetic run (6 chains, 23 warmup and 41 sampling draws, every type and shape, and
/// numbers that are recorded once) in new subfolders of `folder`, with and without interruptions.
/// At an interruption, the check saves the state, may write more draws with other numbers, and
/// resumes from the saved state in a new object. The contents must be the same for:
///   split         a run that is written in chunks of 1, 7 or all draws
///   saving        a run with a state that is saved between two chunks
///   restore       a run that is interrupted in warmup, between the phases, in sampling, or twice
///   overwrite     a run that is interrupted at such places, after draws that are written after
///                 the saved state
///   shorten       a run that is interrupted, and then ends before the last of the draws that were
///                 written after the saved state
/// Further clauses:
///   state         a restored state has the same bytes when it is saved again
///   finish        finishing early into another folder and then continuing, or finishing early and
///                 then resuming, changes no contents
///   kill          like restore, but the process is killed after it has written 1000 more draws
///   unfinished after saving  a resumed recording is abandoned before or after its first chunk, and
///                 resumed again
///   final name    before `finish`, files exist only in header.scratch
///   unfinished    no file remains if neither the state was saved nor `finish` was called
///   different header  resuming with other columns, chains, slots or warmup, or with a state of
///                 more draws than were written, throws InputError and changes nothing
///   nothing to resume  resuming in empty folders throws InputError and leaves them empty
Findings check_recorder(const Recorder& recorder, const std::string& folder,
                        const Contents& contents = read_contents);

}  // namespace mixwell::contracts
