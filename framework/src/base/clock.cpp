// The current date and time in UTC, as ISO 8601 text.
// SPDX-License-Identifier: Apache-2.0
#include "base/clock.hpp"

#include <fmt/chrono.h>

#include <ctime>

namespace mixwell {

std::string timestamp() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%S+00:00}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace mixwell
