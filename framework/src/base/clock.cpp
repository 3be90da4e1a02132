// The time of day, in the format that files use.
// SPDX-License-Identifier: Apache-2.0
#include "base/clock.hpp"

#include <fmt/chrono.h>

#include <ctime>

namespace mixwell {

std::string timestamp() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%S+00:00}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace mixwell
