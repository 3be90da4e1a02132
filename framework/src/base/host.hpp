// Text that identifies this machine or a process, for messages and locks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>

#include <cstdint>
#include <string>

namespace mixwell {

MIXWELL_INTERNAL std::string host_name();

/// "process 17 on n1".
MIXWELL_INTERNAL std::string process_on(std::int64_t process, const std::string& host);

}  // namespace mixwell
