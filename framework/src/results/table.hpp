// The rows of a summary, one for each element of the posterior, whatever their number.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "results/row.hpp"

#include <mixwell/lab/draws.hpp>
#include <mixwell/lab/stop_request.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace mixwell {

/// An element of a variable.
struct ElementPlace {
  std::size_t column = 0;  ///< of SummaryTable::columns()
  Index element = 0;
};

/// Throws InputError of `what` where the figures of one element with so many draws of all chains do
/// not fit into the memory that the process may have.
void require_row_memory(double draws, const std::string& what);

class SummaryTable {
 public:
  /// Goes through the file once, elements in parallel; beside its rows it has as much of the draws
  /// in memory as DrawsFile::elements_at_once() says, and fewer elements at work than threads where
  /// they would take more than the rest of what the process may have. Throws InputError
  /// where that is too little for one, Stopped on request.
  SummaryTable(const DrawsFile& file, const RowSettings& settings,
               const StopRequest* stop = nullptr);

  /// The variables of `posterior`, in the order of the file.
  const std::vector<Column>& columns() const noexcept { return columns_; }
  /// Of columns()[column], one per element.
  const std::vector<RowFigures>& rows(std::size_t column) const noexcept { return rows_[column]; }
  const RowFigures& row(const ElementPlace& place) const {
    return rows_[place.column][static_cast<std::size_t>(place.element)];
  }
  /// Of all variables.
  std::size_t size() const noexcept { return size_; }

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<RowFigures>> rows_;
  std::size_t size_ = 0;
};

/// Of the rows' ess_bulk that are there.
struct EssFigures {
  explicit EssFigures(const SummaryTable& table);

  double smallest;  ///< NaN if there is none
  double mean;
  bool complete = true;  ///< every row that is no constant has one
  ElementPlace of_smallest{};
};

/// The largest mcse_mean / sd of rows that are no constants; infinite where one has none.
double largest_relative_error(const SummaryTable& table);

/// The whole table as a NetCDF-4 file: what it is, docs/results.md says.
std::string netcdf_table(const SummaryTable& table, const PaperEstimators& papers);

}  // namespace mixwell
