// The draws in `resume` that a checkpoint needs, and their hashes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "files/sha256.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace mixwell {

/// The first bytes of a file that a recorder left.
struct SavedPart {
  std::string name;
  std::uint64_t bytes = 0;
  std::string sha256;
};

/// Hashes of the files of a folder whose names hold `.partial`. A recorder that has saved its state
/// only adds to its files, so that each byte is read once and hashed once, while it is in memory
/// still.
class PartHashes {
 public:
  explicit PartHashes(std::string folder) : folder_(std::move(folder)) {}
  /// Of all files as they are. Throws RunError where one cannot be read.
  std::vector<SavedPart> now();
  /// Throws InputError that names the first file that is not there or not as it was.
  void check(const std::vector<SavedPart>& parts);

  /// Whether all are there and long enough, whatever their hashes.
  static bool have_sizes(const std::string& folder, const std::vector<SavedPart>& parts);

 private:
  struct Hashed {
    Sha256 hash;
    std::uint64_t bytes = 0;
  };
  bool read_up_to(const std::string& name, std::uint64_t bytes);

  std::string folder_;
  std::map<std::string, Hashed> hashed_;
};

}  // namespace mixwell
