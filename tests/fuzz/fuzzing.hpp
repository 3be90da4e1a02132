// What the fuzz targets share: a folder for their files, and what counts as a refusal.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "temporary_folder.hpp"

#include <mixwell/base/error.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace fuzzing {

/// Little enough for a sanitizer to fill in a moment; what needs more is refused, as in the
/// program.
inline const int memory_is_limited = ::setenv("MIXWELL_MEMORY", "64M", 1);

/// One folder for all inputs of a process; in memory where it can be, as a disk takes milliseconds
/// for each.
inline const mixwell::testing::TemporaryFolder& folder() {
  static const auto only = [] {
    if (std::filesystem::is_directory("/dev/shm")) ::setenv("TMPDIR", "/dev/shm", 0);
    return std::make_unique<const mixwell::testing::TemporaryFolder>();
  }();
  return *only;
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// The bytes up to the first `end`, and those after it; all and none where there is no `end`.
inline std::pair<std::string_view, std::string_view> split(std::string_view bytes,
                                                           std::string_view end) {
  const std::size_t at = bytes.find(end);
  if (at == std::string_view::npos) return {bytes, {}};
  return {bytes.substr(0, at), bytes.substr(at + end.size())};
}

/// Whether the input was taken. Mixwell may refuse it by an error of its own, which says something;
/// every other exception is a finding and ends the process.
template <class Action>
bool accepts(Action action) {
  try {
    action();
    return true;
  } catch (const mixwell::Error& refusal) {
    if (std::string_view(refusal.what()).empty()) std::abort();
    return false;
  }
}

}  // namespace fuzzing

/// libFuzzer's name for a target; 0 = the input counts.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
