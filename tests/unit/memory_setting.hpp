// Sets the environment variable MIXWELL_MEMORY while an object lives.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace support {

/// A value of MIXWELL_MEMORY, for as long as it lives.
class MemorySetting {
 public:
  explicit MemorySetting(const char* text) {
    if (const char* const old = std::getenv("MIXWELL_MEMORY")) before_ = old;
    ::setenv("MIXWELL_MEMORY", text, 1);
  }
  ~MemorySetting() {
    if (before_) ::setenv("MIXWELL_MEMORY", before_->c_str(), 1);
    if (!before_) ::unsetenv("MIXWELL_MEMORY");
  }
  MemorySetting(const MemorySetting&) = delete;
  MemorySetting& operator=(const MemorySetting&) = delete;

 private:
  std::optional<std::string> before_;
};

}  // namespace support
