// The file of one chain: text that is appended, and has its final name only once it is whole.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace mixwell::cmdstan_csv {

/// Open only while it is written or read, so that there may be more chains than a process may have
/// files open. Removed with this object, unless it is kept.
class Sheet {
 public:
  /// Makes the file, empty; with `resume` finds it as it is and continues after its last byte. At
  /// most `buffer` bytes wait in memory. Throws RunError when the file cannot be made, InputError
  /// when there is none to continue.
  Sheet(std::string name, bool resume, std::size_t buffer);
  Sheet(const Sheet&) = delete;
  Sheet& operator=(const Sheet&) = delete;
  ~Sheet();

  /// Bytes appended so far.
  std::uint64_t size() const noexcept { return written_ + pending_.size(); }
  void append(std::string_view text);
  /// The next byte is number `size`; those beyond are removed. Nothing may be pending.
  void move_to(std::uint64_t size);
  /// Text that stands in the file already, to the end of the first line without `#`.
  std::string opening_lines() const;

  /// All that was appended, and nothing else, is in the file and on the disk.
  void sync();
  /// What is in the file stays when this object goes.
  void keep() noexcept { kept_ = true; }
  /// Appends all that was appended to another sheet.
  void append(Sheet& other);
  /// Writes over bytes from `at` on, in a synced file.
  void patch(std::uint64_t at, std::string_view text);
  /// Gives a synced file its final name.
  void commit_as(const std::string& name);

  /// Throws InputError: why a resumed file is not the one to continue.
  [[noreturn]] void refuse(const std::string& reason) const;

 private:
  void flush();
  void put(std::uint64_t at, std::string_view text, bool last) const;
  [[noreturn]] void fail(const char* action) const;

  std::string file_;
  std::size_t buffer_;
  std::string pending_;
  std::uint64_t written_ = 0;
  bool kept_;
};

/// FOLDER/draws_ID.csv
std::string name_of(const std::string& folder, std::int64_t id);

/// Removes FOLDER/draws_ID.csv and those that follow it without a gap: chains of an earlier run
/// that had more of them.
void remove_from(const std::string& folder, std::int64_t id);

}  // namespace mixwell::cmdstan_csv
