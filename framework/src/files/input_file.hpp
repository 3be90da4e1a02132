// Data files as streams, plain or gzipped alike.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <istream>
#include <memory>
#include <string>

namespace mixwell {

/// A file of data from its first byte, decompressed if it begins as gzip does (1f 8b; its name
/// tells nothing). Every failure throws InputError with the file's name: in the constructor for a
/// file that is missing, may not be read or holds nothing (`wanted` says what it should hold), from
/// any read for compressed data that are damaged or cut off.
class InputFile final : public std::istream {
 public:
  InputFile(const std::string& path, const std::string& wanted);
  ~InputFile() override;

 private:
  class FileBuffer;
  std::unique_ptr<FileBuffer> buffer_;
};

}  // namespace mixwell
