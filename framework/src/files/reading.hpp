// Reads regular files and shell pipes, and refuses files on which a read could wait forever.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "files/descriptor.hpp"

#include <mixwell/base/export.hpp>

#include <cstddef>
#include <limits>
#include <string>

namespace mixwell {

/// Opens a regular file at its start. A pipe without a name, as a shell makes for `<(...)`, is
/// first read to its end: at most 16 MiB, with at most 5 s without a byte. For everything else
/// (missing and unreadable files, folders, devices, pipes with a name), throws InputError "`path`:
/// `what` cannot be read: ..." with `cure` at the end, without waiting.
MIXWELL_INTERNAL Descriptor open_to_read(const std::string& path, const std::string& what,
                                         const std::string& cure = {});

/// The whole text. Throws InputError "PATH: the `what` cannot be read: ..." with `cure` at the end,
/// unless `cure` is empty. Also throws InputError for a file of more than `most_bytes`.
MIXWELL_INTERNAL std::string read_text_file(
    const std::string& path, const std::string& what, const std::string& cure = {},
    std::size_t most_bytes = std::numeric_limits<std::size_t>::max());

/// The reason why `path` is not a regular file, such as "it is a folder" or "No such file or
/// directory". "" if `path` is a regular file. Follows symbolic links, and opens nothing.
MIXWELL_INTERNAL std::string why_no_file(const std::string& path);

}  // namespace mixwell
