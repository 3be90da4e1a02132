// summary.nc: the rows of all elements, as columns.
// SPDX-License-Identifier: Apache-2.0
#include "files/hdf5_exit.hpp"
#include "results/table.hpp"

#include <mixwell/error.hpp>
#include <mixwell/version.hpp>

#include <netcdf.h>
#include <netcdf_mem.h>

#include <cstdlib>
#include <utility>

namespace mixwell {
namespace {

void check(int status) {
  if (status != NC_NOERR)
    throw RunError(std::string("summary.nc cannot be made: ") + nc_strerror(status));
}

/// In memory, as HDF5 may crash where a disk is full.
class FileInMemory {
 public:
  FileInMemory() {
    leave_files_at_exit();
    check(nc_create_mem("summary.nc", NC_NETCDF4, first_bytes, &id_));
  }
  ~FileInMemory() {
    if (id_ >= 0) nc_close(id_);
  }
  FileInMemory(const FileInMemory&) = delete;
  FileInMemory& operator=(const FileInMemory&) = delete;

  int id() const noexcept { return id_; }

  std::string bytes() {
    NC_memio memory{};
    check(nc_close_memio(std::exchange(id_, -1), &memory));
    std::string all(static_cast<const char*>(memory.memory), memory.size);
    std::free(memory.memory);
    return all;
  }

 private:
  static constexpr std::size_t first_bytes = std::size_t{1} << 20;
  int id_ = -1;
};

std::vector<const char*> keys(const PaperEstimators& papers) {
  std::vector<const char*> all;
  for (const StandardFigure& figure : standard_figures) all.push_back(figure.name);
  for (const diagnostics::PaperEstimator* const paper : papers)
    all.push_back(paper->definition.key);
  return all;
}

/// Figure k of keys().
double figure(const RowFigures& row, std::size_t k) {
  return k < standard_figures.size() ? row.standard.*standard_figures[k].value
                                     : row.papers[k - standard_figures.size()];
}

void text_attribute(int file, int variable, const char* name, const std::string& text) {
  const char* words = text.c_str();
  check(nc_put_att_string(file, variable, name, 1, &words));
}

/// Dimension and coordinate.
int define_figures(int file, std::vector<const char*>& names) {
  int dimension = -1;
  int variable = -1;
  check(nc_def_dim(file, "figure", names.size(), &dimension));
  check(nc_def_var(file, "figure", NC_STRING, 1, &dimension, &variable));
  check(nc_put_var_string(file, variable, names.data()));
  return dimension;
}

/// Over (figure, NAME_dim_0, ...).
int define_variable(int file, const Column& column, int figures) {
  std::vector<int> dimensions = {figures};
  for (std::size_t k = 0; k < column.shape.size(); ++k) {
    const std::string name = column.name + "_dim_" + std::to_string(k);
    dimensions.push_back(-1);
    check(nc_def_dim(file, name.c_str(), static_cast<std::size_t>(column.shape[k]),
                     &dimensions.back()));
  }
  int variable = -1;
  check(nc_def_var(file, column.name.c_str(), NC_DOUBLE, static_cast<int>(dimensions.size()),
                   dimensions.data(), &variable));
  if (!column.unit.empty()) text_attribute(file, variable, "unit", column.unit);
  return variable;
}

void write_figure(int file, int variable, const Column& column, std::size_t k,
                  const std::vector<double>& numbers) {
  std::vector<std::size_t> start(1 + column.shape.size(), 0);
  std::vector<std::size_t> count = {1};
  start.front() = k;
  count.insert(count.end(), column.shape.begin(), column.shape.end());
  check(nc_put_vara_double(file, variable, start.data(), count.data(), numbers.data()));
}

}  // namespace

std::string netcdf_table(const SummaryTable& table, const PaperEstimators& papers) {
  FileInMemory file;
  text_attribute(file.id(), NC_GLOBAL, "creation_library", "mixwell");
  text_attribute(file.id(), NC_GLOBAL, "creation_library_version", MIXWELL_VERSION);
  std::vector<const char*> names = keys(papers);
  const int figures = define_figures(file.id(), names);
  for (std::size_t c = 0; c < table.columns().size(); ++c) {
    const int variable = define_variable(file.id(), table.columns()[c], figures);
    std::vector<double> numbers;
    for (std::size_t k = 0; k < names.size(); ++k) {
      numbers.clear();
      for (const RowFigures& row : table.rows(c)) numbers.push_back(figure(row, k));
      write_figure(file.id(), variable, table.columns()[c], k, numbers);
    }
  }
  return file.bytes();
}

}  // namespace mixwell
