// A NetCDF-4 file that has its final name only once it is whole.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mixwell::netcdf {

/// Removed when it goes out of scope, unless committed, suspended or not yet claimed.
class File {
 public:
  enum class Mode {
    create,  ///< draws.nc.partial, anew
    resume,  ///< draws.nc.partial as it is
    copy,    ///< draws.nc.partial.copy, anew
  };

  /// Throws RunError when the file cannot be made, InputError when it cannot be continued.
  File(const std::string& folder, Mode mode);
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File();

  int id() const noexcept { return id_; }
  /// The file stood there before, so its structure is found, not defined.
  bool resumed() const noexcept { return mode_ == Mode::resume; }
  /// From now on a resumed file goes with this object, as one that was made by it does.
  void claim() noexcept { kept_ = false; }

  /// Throws RunError unless the status of a netCDF call says that all is well.
  void check(int status, const std::string& action) const;
  /// Throws InputError: why a resumed file is not the one to continue.
  [[noreturn]] void refuse(const std::string& reason) const;

  /// What was written is on the disk.
  void sync() const;
  /// Synced and closed, and left under its temporary name.
  void suspend();
  /// Synced and closed, and under its final name.
  void commit();

 private:
  void close();
  void force_to_disk() const;
  void discard() const;
  [[noreturn]] void fail(int status, int error, const std::string& action) const;

  Mode mode_;
  std::string folder_;
  std::string final_;
  std::string partial_;
  int id_ = -1;
  bool kept_;
  /// HDF5 could not write, so it cannot close the file either: an attempt would free half of it.
  mutable bool broken_ = false;
};

}  // namespace mixwell::netcdf
