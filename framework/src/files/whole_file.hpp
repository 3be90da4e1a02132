// Writing a file so that it is whole under its name, or not there.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>

#include <string>
#include <string_view>

namespace mixwell {

/// Writes under a temporary name, forces it to disk and renames it; the new name itself outlives a
/// power cut after sync_folder(). Throws RunError with the cure and leaves what was there before.
MIXWELL_INTERNAL void write_whole_file(const std::string& path, std::string_view text);

/// Makes new names in a folder outlive a power cut, where the file system can.
MIXWELL_INTERNAL void sync_folder(const std::string& folder);

}  // namespace mixwell
