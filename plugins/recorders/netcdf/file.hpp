// A NetCDF-4 file that has its final name only once it is whole.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

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

}  // namespace mixwell::netcdf
