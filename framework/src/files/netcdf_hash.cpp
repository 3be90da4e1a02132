// Hashes the contents of a file. Skips NetCDF attributes, because they contain timestamps.
// SPDX-License-Identifier: Apache-2.0
#include "files/netcdf_library.hpp"
#include "files/reading.hpp"
#include "files/sha256.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/files/files.hpp>

#include <netcdf.h>

#include <algorithm>
#include <vector>

namespace mixwell {
namespace {

class NetcdfHash {
 public:
  NetcdfHash(const std::string& path, int file) : path_(path), file_(file) {}
  ~NetcdfHash() { nc_close(file_); }
  NetcdfHash(const NetcdfHash&) = delete;
  NetcdfHash& operator=(const NetcdfHash&) = delete;

  std::string of_all() {
    add_group(file_);
    return hash_.hexadecimal();
  }

 private:
  static constexpr std::size_t most_bytes = std::size_t{1} << 24;

  void check(int status) const {
    if (status == NC_NOERR) return;
    throw InputError(path_ + ": cannot be read as NetCDF: " + nc_strerror(status) +
                     ". Restore the file, or make it again");
  }

  void add_group(int group) {
    int count = 0;
    check(nc_inq_varids(group, &count, nullptr));
    std::vector<int> variables(static_cast<std::size_t>(count));
    check(nc_inq_varids(group, &count, variables.data()));
    for (const int variable : variables) add_variable(group, variable);
    check(nc_inq_grps(group, &count, nullptr));
    std::vector<int> groups(static_cast<std::size_t>(count));
    check(nc_inq_grps(group, &count, groups.data()));
    for (const int inner : groups) {
      char name[NC_MAX_NAME + 1] = {};
      check(nc_inq_grpname(inner, name));
      hash_.add(std::string("group ") + name);
      add_group(inner);
    }
  }

  void add_variable(int group, int variable) {
    char name[NC_MAX_NAME + 1] = {};
    nc_type type = NC_NAT;
    int rank = 0;
    check(nc_inq_var(group, variable, name, &type, &rank, nullptr, nullptr));
    std::vector<int> dimensions(static_cast<std::size_t>(rank));
    check(nc_inq_vardimid(group, variable, dimensions.data()));
    std::vector<std::size_t> shape;
    for (const int dimension : dimensions) {
      shape.push_back(0);
      check(nc_inq_dimlen(group, dimension, &shape.back()));
    }
    std::string head = std::string("variable ") + name;
    for (const std::size_t length : shape) head += " " + std::to_string(length);
    hash_.add(head);
    std::size_t size = 0;
    check(nc_inq_type(group, type, nullptr, &size));
    if (type < NC_STRING) add_numbers(group, variable, shape, size);
  }

  /// Reads slabs along the first dimension, so that memory stays bounded.
  void add_numbers(int group, int variable, std::vector<std::size_t> shape, std::size_t size) {
    std::size_t row = size;
    for (std::size_t k = 1; k < shape.size(); ++k) row *= shape[k];
    const std::size_t rows = shape.empty() ? 1 : shape.front();
    const std::size_t step = std::max<std::size_t>(most_bytes / std::max<std::size_t>(row, 1), 1);
    std::vector<std::size_t> start(shape.size(), 0);
    std::vector<char> bytes;
    for (std::size_t first = 0; first < rows; first += step) {
      const std::size_t count = std::min(step, rows - first);
      if (!shape.empty()) {
        start.front() = first;
        shape.front() = count;
      }
      bytes.resize(count * row);
      check(nc_get_vara(group, variable, start.data(), shape.data(), bytes.data()));
      hash_.add({bytes.data(), bytes.size()});
    }
  }

  std::string path_;
  int file_;
  Sha256 hash_;
};

}  // namespace

std::string content_sha256(const std::string& path) {
  leave_files_at_exit();
  int file = -1;
  const bool is_file = why_no_file(path).empty();  // HDF5 would block on a pipe
  const NetcdfTurn turn;
  if (!is_file || nc_open(path.c_str(), NC_NOWRITE, &file) != NC_NOERR) return file_sha256(path);
  return NetcdfHash(path, file).of_all();
}

}  // namespace mixwell
