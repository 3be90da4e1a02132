// The laws of every Recorder.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/laws/law.hpp>
#include <mixwell/recorder.hpp>

#include <functional>
#include <string>

namespace mixwell::laws {

/// What the files of a folder hold, as bytes that are equal where the recorded results are.
using Contents = std::function<std::string(const std::string& folder)>;

/// Every file by name and bytes; of a draws.nc all draws that DrawsFile reads, and their hash.
std::string read_contents(const std::string& folder);

/// Records a synthetic run (6 chains, 23 warm-up and 41 sampling draws, every type and shape, and
/// numbers that come once) in new subfolders of `folder`, whole and interrupted. An interruption
/// saves the state, may write more, other draws, suspends, and resumes in a fresh object from the
/// saved state. Always the same contents:
///   split         written in chunks of 1, 7 or all draws
///   saving        a state saved between two chunks changes nothing
///   restore       interrupted in warm-up, between the phases, in sampling, twice
///   overwrite     the same, with draws after the saved state
///   shorten       a run that ends before what was written after the saved state
/// and
///   state         restored and saved again, the state has the same bytes
///   final name    no file of a finished recording is there before `finish`, and no other after it
///   unfinished    nothing is left without `finish` and `suspend`; and all that was suspended,
///   where
///                 a resumed recording is given up before its first chunk
///   other header  resuming with other columns, chains, slots or warm-up, or with a state of more
///                 draws than were written, throws InputError and does no harm
///   nothing there resuming in an empty folder throws InputError and leaves it empty
Findings check_recorder(const Recorder& recorder, const std::string& folder,
                        const Contents& contents = read_contents);

}  // namespace mixwell::laws
