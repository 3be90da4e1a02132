// Writes summary.nc: one NetCDF variable for each posterior variable, with its statistics.
// SPDX-License-Identifier: Apache-2.0
#include "files/netcdf_library.hpp"
#include "results/table.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/files/files.hpp>
#include <mixwell/version.hpp>

#include <netcdf.h>
#include <netcdf_mem.h>

#include <cstdlib>
#include <utility>

namespace mixwell {
namespace {

void check(int status) {
  if (status != NC_NOERR)
    throw RunError(std::string("cannot create summary.nc: ") + nc_strerror(status) +
                   ". Run `mixwell summary` again.");
}

/// A NetCDF file in memory, because HDF5 may crash when the disk is full.
class FileInMemory {
 public:
  explicit FileInMemory(std::size_t variables) {
    leave_files_at_exit();
    const int attached = variables > most_attached ? NC_NODIMSCALE_ATTACH : 0;
    check(nc_create_mem("summary.nc", NC_NETCDF4 | attached, first_bytes, &id_));
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
  /// With more variables than this, HDF5 takes minutes to attach `figure` to all of them. The limit
  /// in draws.nc is the same.
  static constexpr std::size_t most_attached = 5000;
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

/// The NetCDF ids of the dimension and the coordinate variable `figure`.
struct DefinedFigures {
  int dimension = -1;
  int coordinate = -1;
};

DefinedFigures define_figures(int file, std::size_t count) {
  DefinedFigures figures;
  check(nc_def_dim(file, "figure", count, &figures.dimension));
  check(nc_def_var(file, "figure", NC_STRING, 1, &figures.dimension, &figures.coordinate));
  return figures;
}

/// Defines a variable over (figure, NAME_dim_0, ...).
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

/// Writes the figures of all elements, one figure after another.
void write_figures(int file, int variable, std::span<const RowFigures> rows, std::size_t figures) {
  std::vector<double> numbers;
  numbers.reserve(figures * rows.size());
  for (std::size_t k = 0; k < figures; ++k)
    for (const RowFigures& row : rows) numbers.push_back(figure(row, k));
  check(nc_put_var_double(file, variable, numbers.data()));
}

}  // namespace

/// Defines everything before it writes anything, because netCDF flushes the whole file in between.
std::string netcdf_table(const SummaryTable& table, const PaperEstimators& papers) {
  const NetcdfTurn turn;
  FileInMemory file(table.columns().size());
  text_attribute(file.id(), NC_GLOBAL, "creation_library", "mixwell");
  text_attribute(file.id(), NC_GLOBAL, "creation_library_version", MIXWELL_VERSION);
  std::vector<const char*> names = keys(papers);
  const DefinedFigures figures = define_figures(file.id(), names.size());
  std::vector<int> variables;
  for (const Column& column : table.columns())
    variables.push_back(define_variable(file.id(), column, figures.dimension));
  check(nc_enddef(file.id()));
  check(nc_put_var_string(file.id(), figures.coordinate, names.data()));
  for (std::size_t c = 0; c < variables.size(); ++c)
    write_figures(file.id(), variables[c], table.rows_of(c), names.size());
  return file.bytes();
}

}  // namespace mixwell
