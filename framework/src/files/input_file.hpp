// Reads plain and gzipped data files as streams.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <istream>
#include <memory>
#include <string>

namespace mixwell {

/// A stream of a data file from its first byte. A file that begins like gzip (1f 8b) is
/// decompressed, whatever its name is. Every failure throws InputError with the name of the file.
/// The constructor throws if the file is missing, cannot be read or is empty (`wanted` describes
/// the expected contents). Any read throws if compressed data are damaged or cut off.
class InputFile final : public std::istream {
 public:
  InputFile(const std::string& path, const std::string& wanted);
  ~InputFile() override;

  /// Reads the next line without its end (LF). Returns false after the last line. A UTF-8 byte
  /// order mark is not part of the first line. Throws InputError for UTF-16, for lines that end
  /// only in CR, and for a line of more than 64 MiB, which is the limit for one line.
  bool next_line(std::string& line);
  /// The number of the line that was read last, from 1.
  int line_number() const noexcept { return line_number_; }

 private:
  class FileBuffer;
  std::string path_;
  std::unique_ptr<FileBuffer> buffer_;
  int line_number_ = 0;
};

}  // namespace mixwell
