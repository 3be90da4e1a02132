// Creates, continues, syncs and renames a NetCDF-4 file, and reports system errors.
// SPDX-License-Identifier: Apache-2.0
#include "file.hpp"

#include <mixwell/plugin.hpp>

#include <fcntl.h>
#include <hdf5.h>
#include <netcdf.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

namespace mixwell::netcdf {
namespace {

/// A second handle of a file that netCDF has open. HDF5 closes the file with its last handle, so
/// nc_close then writes nothing. If a write in nc_close fails, netCDF 4.9.0 reads memory that HDF5
/// has freed, and crashes.
class LastOpening {
 public:
  /// "" = no file.
  explicit LastOpening(const std::string& name) {
    if (!name.empty()) file_ = H5Fopen(name.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  }
  LastOpening(const LastOpening&) = delete;
  LastOpening& operator=(const LastOpening&) = delete;
  ~LastOpening() { close(); }

  /// Returns a status of netCDF.
  int close() {
    if (file_ < 0) return NC_NOERR;
    return H5Fclose(std::exchange(file_, H5I_INVALID_HID)) < 0 ? NC_EHDFERR : NC_NOERR;
  }

 private:
  hid_t file_ = H5I_INVALID_HID;
};

/// Whether the system error explains a failed write better than the library's "HDF error".
bool explains(int error) {
  constexpr std::array errors = {ENOSPC, EDQUOT, EFBIG,   EIO,    EROFS,  EACCES,
                                 EPERM,  ENOENT, ENOTDIR, EMFILE, ENFILE, ENAMETOOLONG};
  return std::find(errors.begin(), errors.end(), error) != errors.end();
}

/// A file with more variables does not attach its dimensions to the variables. HDF5 keeps a list of
/// variables for each attached dimension, and searches the whole list to add a variable: 500 s for
/// 10^5 variables. Readers that use netCDF find the dimensions without these lists.
constexpr std::size_t most_attached = 5000;

/// Each variable sets its cache when it is used. Until then netCDF gives each variable 33 KiB.
void keep_caches_small() { nc_set_chunk_cache(std::size_t{1} << 16, 1, 1.0F); }

}  // namespace

NcFile::NcFile(std::string name, Mode mode, std::size_t variables)
    : mode_(mode), name_(std::move(name)), kept_(mode == Mode::read) {
  keep_caches_small();
  errno = 0;
  if (is_read()) {
    const int status = nc_open(name_.c_str(), NC_NOWRITE, &id_);
    if (status != NC_NOERR) refuse(nc_strerror(status));
    return;
  }
  const int attached = variables > most_attached ? NC_NODIMSCALE_ATTACH : 0;
  const int status = nc_create(name_.c_str(), NC_NETCDF4 | NC_CLOBBER | attached, &id_);
  if (status == NC_NOERR) return;
  const int error = errno;
  discard();
  fail(status, error, "create the file");
}

NcFile::~NcFile() {
  if (id_ >= 0 && !broken_) {
    const LastOpening last(is_read() ? "" : name_);
    nc_close(id_);
  }
  if (!kept_) discard();
}

void NcFile::check(int status, const std::string& action) const {
  if (status != NC_NOERR) {
    broken_ = true;
    fail(status, errno, action);
  }
  errno = 0;
}

void NcFile::refuse(const std::string& reason) const {
  throw InputError(disk::cannot_continue(name_, reason));
}

void NcFile::close_file() {
  check(nc_sync(id_), "write the end of the file");
  LastOpening last(name_);
  check(nc_close(std::exchange(id_, -1)), "close the file");
  check(last.close(), "close the file");
  force_to_disk();
}

void NcFile::close() {
  close_file();
  disk::sync_folder(std::filesystem::path(name_).parent_path().string());
  kept_ = true;
}

void NcFile::close_as(const std::string& name) {
  close_file();
  if (std::rename(name_.c_str(), name.c_str()) != 0) fail(errno, errno, "rename the file");
  kept_ = true;
}

void NcFile::force_to_disk() const {
  const int descriptor = ::open(name_.c_str(), O_RDONLY);
  const bool synced = descriptor >= 0 && mixwell::force_to_disk(descriptor) == 0;
  const int error = errno;
  if (descriptor >= 0) ::close(descriptor);
  if (!synced) fail(error, error, "flush the file to disk");
}

/// Frees the disk space even if a broken file stays open.
void NcFile::discard() const {
  if (::truncate(name_.c_str(), 0) == 0) std::remove(name_.c_str());
}

/// The system error has priority, because netCDF reports every failure to create a file as EACCES.
void NcFile::fail(int status, int error, const std::string& action) const {
  const int code = explains(error) ? error : std::max(status, 0);
  const std::string cause = code > 0 ? std::strerror(code) : nc_strerror(status);
  throw RunError(name_ + ": cannot " + action + ": " + cause +
                 ". Mixwell did not write draws.nc. " + disk::cure(code));
}

void Attributes::text(const char* name, const std::string& value) const {
  texts(name, {value.c_str()});
}

void Attributes::texts(const char* name, std::vector<const char*> values) const {
  check(nc_put_att_string(group_, variable_, name, values.size(), values.data()), name);
}

void Attributes::number(const char* name, double value) const {
  if (std::isnan(value)) return;
  check(nc_put_att_double(group_, variable_, name, NC_DOUBLE, 1, &value), name);
}

void Attributes::integer(const char* name, std::int64_t value) const {
  const long long number = value;
  check(nc_put_att_longlong(group_, variable_, name, NC_INT64, 1, &number), name);
}

std::string Attributes::text_in_file(const char* name) const {
  char* text = nullptr;
  find(nc_get_att_string(group_, variable_, name, &text), name);
  const std::string result = text != nullptr ? text : "";
  nc_free_string(1, &text);
  return result;
}

std::int64_t Attributes::integer_in_file(const char* name) const {
  long long number = 0;
  find(nc_get_att_longlong(group_, variable_, name, &number), name);
  return number;
}

void Attributes::check(int status, const char* name) const {
  file_.check(status, std::string("write the attribute '") + name + "'");
}

void Attributes::find(int status, const char* name) const {
  if (status != NC_NOERR) file_.refuse(std::string("it has no attribute '") + name + "'");
}

}  // namespace mixwell::netcdf
