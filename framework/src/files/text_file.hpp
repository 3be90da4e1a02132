// Small files of text, read at once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>

#include <cstddef>
#include <limits>
#include <string>

namespace mixwell {

/// Throws InputError: "PATH: the `what` cannot be read: ...", and the cure if there is one; also
/// for a file of more than `most_bytes`. Only files and nameless pipes: see InputDescriptor.
MIXWELL_INTERNAL std::string read_text_file(
    const std::string& path, const std::string& what, const std::string& cure = {},
    std::size_t most_bytes = std::numeric_limits<std::size_t>::max());

}  // namespace mixwell
