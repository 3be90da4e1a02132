// The contract of every Recorder.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/contracts/finding.hpp>
#include <mixwell/recorder.hpp>

#include <functional>
#include <string>

namespace mixwell::contracts {

/// What the files of a folder hold, as bytes that are equal where the recorded results are.
using Contents = std::function<std::string(const std::string& folder)>;

/// Every file by name and bytes; of a draws.nc all draws that DrawsFile reads, and their hash.
std::string read_contents(const std::string& folder);

/// Records a synthetic run (6 chains, 23 warm-up and 41 sampling draws, every type and shape, and
/// numbers that come once) in new subfolders of `folder`, whole and interrupted. An interruption
/// saves the state, may write more, other draws, and resumes in a fresh object from the saved
/// state. Always the same contents:
///   split         written in chunks of 1, 7 or all draws
///   saving        a state saved between two chunks changes nothing
///   restore       interrupted in warm-up, between the phases, in sampling, twice
///   overwrite     the same, with draws after the saved state
///   shorten       a run that ends before what was written after the saved state
/// and
///   state         restored and saved again, the state has the same bytes
///   finish        early, into another folder, and going on; or resuming after it
///   kill          as restore, but the process is killed after it has written 1000 more draws
///   unfinished after saving  a resumed recording is given up, before or after its first chunk
///   final name    before `finish` there are files in header.scratch alone
///   unfinished    nothing is left where neither the state was saved nor `finish` called
///   other header  resuming with other columns, chains, slots or warm-up, or with a state of more
///                 draws than were written, throws InputError and does no harm
///   nothing there resuming in empty folders throws InputError and leaves them empty
Findings check_recorder(const Recorder& recorder, const std::string& folder,
                        const Contents& contents = read_contents);

}  // namespace mixwell::contracts
