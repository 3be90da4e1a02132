// What a file holds, as a hash that does not depend on when it was written.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mixwell {

/// SHA-256, lower-case hexadecimal: of a NetCDF file over names, shapes and numbers of all
/// variables in all groups, without attributes, which hold the time of day; of any other over its
/// bytes. Throws InputError.
std::string content_sha256(const std::string& path);

}  // namespace mixwell
