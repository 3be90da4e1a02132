// The number that represents an unknown value.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

namespace mixwell {

inline constexpr double not_available = std::numeric_limits<double>::quiet_NaN();

}  // namespace mixwell
