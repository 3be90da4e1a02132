// Lines of a data file, for formats that a component reads itself.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>

#include <memory>
#include <string>

namespace mixwell {

class InputFile;

/// The lines of a file one after another, plain or gzipped (by its first bytes, whatever its name).
/// Throws InputError with the file's name: for a file that is missing, may not be read or is empty
/// (`wanted` says what it should hold), for compressed data that are damaged, for a line of more
/// than 64 MiB, for text that is not UTF-8, and for lines that end in CR only. A byte order mark is
/// skipped.
class MIXWELL_EXPORT TextLines {
 public:
  TextLines(const std::string& path, const std::string& wanted);
  ~TextLines();

  /// Reads the next line, without its end (LF or CRLF); false after the last.
  bool next();
  /// The line that was read last.
  const std::string& line() const noexcept { return line_; }
  /// Where it stands, for messages: "ratings.dat:17", counted from 1.
  std::string place() const;

 private:
  std::string path_;
  std::string line_;
  std::unique_ptr<InputFile> file_;
};

}  // namespace mixwell
