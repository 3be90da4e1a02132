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

  /// The next line without its end (LF); false after the last. The byte order mark of UTF-8 is no
  /// part of the first line. Throws InputError for a line of more than 64 MiB, which no table has,
  /// for UTF-16, and for lines that end in CR only.
  bool next_line(std::string& line);
  /// Of the line that was read last, from 1.
  int line_number() const noexcept { return line_number_; }

 private:
  class FileBuffer;
  std::string path_;
  std::unique_ptr<FileBuffer> buffer_;
  int line_number_ = 0;
};

}  // namespace mixwell
