// A NetCDF-4 file that has its final name only once it is whole, attributes in it, and its disk.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <fcntl.h>
#include <netcdf.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace mixwell::disk {

/// What the user can do about a system error that ended a recording.
inline std::string cure(int error) {
  if (error == ENOSPC || error == EDQUOT || error == EFBIG)
    return "free some space or lift the limit, write to another disk (--out), or record less "
           "(run.thin, run.draws)";
  return "check the folder, its permissions and its disk, or write elsewhere (--out)";
}

/// Why a recording cannot go on with a file it finds.
inline std::string cannot_continue(const std::string& file, const std::string& reason) {
  return file + ": cannot continue this file: " + reason +
         "; it must be the one that the interrupted run left, with the manifest of that run; or "
         "run "
         "again from the start";
}

/// Makes new names outlive a power cut; where a file system refuses, the files are whole all the
/// same.
inline void sync_folder(const std::string& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY);
  if (descriptor < 0) return;
  force_to_disk(descriptor);
  ::close(descriptor);
}

}  // namespace mixwell::disk

namespace mixwell::netcdf {

/// A file that was made here is removed with this object, unless it was closed.
class NcFile {
 public:
  enum class Mode { make, read };

  /// For so many variables. Throws RunError when the file cannot be made, InputError when it cannot
  /// be read.
  NcFile(std::string name, Mode mode, std::size_t variables);
  NcFile(const NcFile&) = delete;
  NcFile& operator=(const NcFile&) = delete;
  ~NcFile();

  int id() const noexcept { return id_; }
  /// Its structure is found, not defined.
  bool is_read() const noexcept { return mode_ == Mode::read; }

  /// Throws RunError unless the status of a netCDF call says that all is well.
  void check(int status, const std::string& action) const;
  /// Throws InputError: why a file that is read is not the one to continue.
  [[noreturn]] void refuse(const std::string& reason) const;

  /// All that was written is on the disk, and the file stays.
  void close();
  /// The same, instead of `name`; the new name itself is for the caller to make last.
  void close_as(const std::string& name);

 private:
  void close_file();
  void force_to_disk() const;
  void discard() const;
  [[noreturn]] void fail(int status, int error, const std::string& action) const;

  Mode mode_;
  std::string name_;
  int id_ = -1;
  bool kept_;
  /// HDF5 could not write, so it cannot close the file either: an attempt would free half of it.
  mutable bool broken_ = false;
};

class Attributes {
 public:
  explicit Attributes(const NcFile& file) : Attributes(file, file.id()) {}
  Attributes(const NcFile& file, int group, int variable = NC_GLOBAL)
      : file_(file), group_(group), variable_(variable) {}

  void text(const char* name, const std::string& value) const;
  void texts(const char* name, std::vector<const char*> values) const;
  /// Nothing for NaN.
  void number(const char* name, double value) const;
  void integer(const char* name, std::int64_t value) const;

  /// Of a resumed file; its InputError where there is none of this name and type.
  std::string text_in_file(const char* name) const;
  std::int64_t integer_in_file(const char* name) const;

 private:
  void check(int status, const char* name) const;
  void find(int status, const char* name) const;

  const NcFile& file_;
  int group_;
  int variable_;
};

}  // namespace mixwell::netcdf
