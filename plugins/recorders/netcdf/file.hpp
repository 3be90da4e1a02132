// A NetCDF-4 file and its attributes. A file gets its final name only when it is complete.
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

/// Advice to the user about a system error that stopped a recording.
inline std::string cure(int error) {
  if (error == ENOSPC || error == EDQUOT || error == EFBIG)
    return "Free some space, raise the quota or the file-size limit, write to a different disk "
           "(--out), or record less (run.thin, run.draws).";
  return "Check the folder, its permissions and its disk, or write to a different folder (--out).";
}

/// The message for a file with which a recording cannot continue.
inline std::string cannot_continue(const std::string& file, const std::string& reason) {
  return file + ": Mixwell cannot continue this file: " + reason +
         ". The file must come from the interrupted run, and the manifest must belong to the same "
         "run. Restore both, or run again from the start.";
}

/// Makes new names survive a power cut. If a file system refuses this, the files are still
/// complete.
inline void sync_folder(const std::string& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY);
  if (descriptor < 0) return;
  force_to_disk(descriptor);
  ::close(descriptor);
}

}  // namespace mixwell::disk

namespace mixwell::netcdf {

/// If this object created the file and did not close it, its destructor removes the file.
class NcFile {
 public:
  enum class Mode { make, read };

  /// `variables` is the expected number of variables. Throws RunError if the file cannot be
  /// created, InputError if it cannot be read.
  NcFile(std::string name, Mode mode, std::size_t variables);
  NcFile(const NcFile&) = delete;
  NcFile& operator=(const NcFile&) = delete;
  ~NcFile();

  int id() const noexcept { return id_; }
  /// True if the file exists and its structure is read, not defined.
  bool is_read() const noexcept { return mode_ == Mode::read; }

  /// Throws RunError unless the status of a netCDF call is NC_NOERR.
  void check(int status, const std::string& action) const;
  /// Throws InputError with the reason why a file that is read cannot be continued.
  [[noreturn]] void refuse(const std::string& reason) const;

  /// Writes all data to disk and keeps the file.
  void close();
  /// As close(), and renames the file to `name`. The caller must sync the folder, so that the new
  /// name survives a power cut.
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
  /// True after HDF5 failed to write. HDF5 then cannot close the file either: an attempt would free
  /// only half of the file's memory.
  mutable bool broken_ = false;
};

class Attributes {
 public:
  explicit Attributes(const NcFile& file) : Attributes(file, file.id()) {}
  Attributes(const NcFile& file, int group, int variable = NC_GLOBAL)
      : file_(file), group_(group), variable_(variable) {}

  void text(const char* name, const std::string& value) const;
  void texts(const char* name, std::vector<const char*> values) const;
  /// Writes nothing for NaN.
  void number(const char* name, double value) const;
  void integer(const char* name, std::int64_t value) const;

  /// Reads an attribute of a resumed file. Throws InputError if the file has no attribute with this
  /// name and type.
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
