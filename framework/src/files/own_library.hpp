// Where this code is on disk.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mixwell {

/// The file of libmixwell, without symbolic links.
std::string own_library();

}  // namespace mixwell
