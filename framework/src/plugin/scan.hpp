// Whether a library can be loaded without harm to the process that loads it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugin/scan_cache.hpp"

#include <string>

namespace mixwell {

/// Loads libraries for trial, each in a process of its own, which is ended after `scan_seconds`.
/// What came of it is remembered by path, size, time and inode, over processes too.
class LibraryScan {
 public:
  static constexpr int scan_seconds = 10;

  /// Throws InputError saying how the process ended that loaded the library and made the parameters
  /// of its components. Exceptions that a process survives are no matter of a scan.
  void check(const std::string& path);

 private:
  ScanCache cache_;
};

}  // namespace mixwell
