// Small files of text, read at once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>

#include <string>

namespace mixwell {

/// Throws InputError: "PATH: the `what` cannot be read: ...", and the cure if there is one.
MIXWELL_INTERNAL std::string read_text_file(const std::string& path, const std::string& what,
                                            const std::string& cure = {});

}  // namespace mixwell
