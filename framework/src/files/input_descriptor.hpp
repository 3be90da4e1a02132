// What a program reads from: files, and pipes that a shell made; nothing that may wait for ever.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>

#include <string>
#include <utility>

namespace mixwell {

/// A descriptor of a regular file, at its start; closed with this.
class MIXWELL_INTERNAL InputDescriptor {
 public:
  /// A pipe without a name, such as a shell makes for `<(...)`, is first read to its end: at most
  /// 16 MiB, and at most 5 s without a byte. Throws InputError "`path`: `what` cannot be read: ..."
  /// with `cure` behind it for everything else, and never waits for it: what does not exist or may
  /// not be read, folders, devices, pipes with a name.
  InputDescriptor(const std::string& path, const std::string& what, const std::string& cure = {});
  ~InputDescriptor();
  InputDescriptor(const InputDescriptor&) = delete;
  InputDescriptor& operator=(const InputDescriptor&) = delete;

  int get() const noexcept { return descriptor_; }
  /// Hands it over to who closes it.
  int release() noexcept { return std::exchange(descriptor_, -1); }

 private:
  int descriptor_ = -1;
};

/// Why there is no file to read at `path`: "it is a folder", "No such file or directory"; "" where
/// there is one. Follows symbolic links; opens nothing.
MIXWELL_INTERNAL std::string why_no_file(const std::string& path);

}  // namespace mixwell
