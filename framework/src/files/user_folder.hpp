// Where a program keeps what is its user's and no result.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mixwell {

/// Mixwell's folder in a base directory of XDG: $VARIABLE/mixwell, by default ~/FALLBACK/mixwell.
/// Relative paths count as none, as that standard wants it. Empty where neither is set.
std::string user_folder(const char* variable, const char* fallback);

}  // namespace mixwell
