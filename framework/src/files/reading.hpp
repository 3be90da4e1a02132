// What a program reads from: files, and pipes that a shell made; nothing that may wait for ever.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "files/descriptor.hpp"

#include <mixwell/base/export.hpp>

#include <cstddef>
#include <limits>
#include <string>

namespace mixwell {

/// A regular file, at its start. A pipe without a name, such as a shell makes for `<(...)`, is
/// first read to its end: at most 16 MiB, and at most 5 s without a byte. Throws InputError
/// "`path`: `what` cannot be read: ..." with `cure` behind it for everything else, and never waits
/// for it: what does not exist or may not be read, folders, devices, pipes with a name.
MIXWELL_INTERNAL Descriptor open_to_read(const std::string& path, const std::string& what,
                                         const std::string& cure = {});

/// The whole text. Throws InputError: "PATH: the `what` cannot be read: ...", and the cure if there
/// is one; also for a file of more than `most_bytes`.
MIXWELL_INTERNAL std::string read_text_file(
    const std::string& path, const std::string& what, const std::string& cure = {},
    std::size_t most_bytes = std::numeric_limits<std::size_t>::max());

/// Why there is no file to read at `path`: "it is a folder", "No such file or directory"; "" where
/// there is one. Follows symbolic links; opens nothing.
MIXWELL_INTERNAL std::string why_no_file(const std::string& path);

}  // namespace mixwell
