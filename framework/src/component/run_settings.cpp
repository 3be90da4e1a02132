// The key of a run's random numbers.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/lab/run_settings.hpp>

namespace mixwell {

std::uint64_t RunSettings::stream_seed() const noexcept {
  std::uint64_t key = static_cast<std::uint64_t>(seed);
  for (const char c : provenance) {  // FNV-1a
    key = (key ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  return key;
}

}  // namespace mixwell
