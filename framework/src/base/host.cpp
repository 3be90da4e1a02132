// Text that identifies this machine or a process, for messages and locks.
// SPDX-License-Identifier: Apache-2.0
#include "base/host.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>

namespace mixwell {

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::string process_on(std::int64_t process, const std::string& host) {
  return fmt::format("process {} on {}", process, host);
}

}  // namespace mixwell
