// The rows of a summary, one for each element of the posterior.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "results/row.hpp"

#include <mixwell/base/export.hpp>
#include <mixwell/lab/draws.hpp>
#include <mixwell/lab/stop_request.hpp>
#include <mixwell/lab/summary.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mixwell {

/// Throws InputError, with the prefix `what`, if the memory limit of the process is too small for
/// the figures of one element with this number of draws in all chains.
void require_row_memory(double draws, const std::string& what);

class SummaryTable {
 public:
  /// Reads the file once and processes elements in parallel. Keeps the rows and the draws of
  /// DrawsFile::elements_at_once() elements in memory. Processes fewer elements than threads at a
  /// time if more would exceed the memory limit of the process. Throws InputError if even one
  /// element exceeds the limit, and Stopped on request.
  SummaryTable(const DrawsFile& file, const RowSettings& settings,
               const StopRequest* stop = nullptr);

  /// The variables of `posterior`, in the order of the file.
  const std::vector<Column>& columns() const noexcept { return columns_; }
  /// One row for each element, variable after variable.
  const std::vector<RowFigures>& rows() const noexcept { return rows_; }
  /// The rows of columns()[column].
  std::span<const RowFigures> rows_of(std::size_t column) const;
  /// The first row of columns()[column].
  std::size_t first_row(std::size_t column) const { return first_rows_[column]; }

  /// The element that a row describes.
  struct RowElement {
    const Column& column;
    Index element;
  };
  RowElement element_of(std::size_t row) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::size_t> first_rows_;
  std::vector<RowFigures> rows_;
};

/// Figures of the ess_bulk of all rows that have one.
struct EssFigures {
  explicit EssFigures(const SummaryTable& table);

  double smallest;  ///< NaN if there is none
  double mean;
  bool complete = true;         ///< every row that is not constant has an ess_bulk
  std::size_t of_smallest = 0;  ///< the row with the smallest ess_bulk
};

/// The largest mcse_mean / sd of rows that are not constant; infinite if one of these rows has no
/// mcse_mean.
double largest_relative_error(const SummaryTable& table);

/// The whole table as a NetCDF-4 file. docs/results.md describes the format.
std::string netcdf_table(const SummaryTable& table, const PaperEstimators& papers);

/// The elements that are not constant but lack a standard figure, in the order of the file.
/// Elements with the same missing figures and the same cause are grouped. The last entries are
/// acceptance and E-BFMI, if they were recorded but are not numbers.
std::vector<NotJudged> not_judged(const DrawsFile& file, const SummaryTable& table);

/// The value of SamplerSummary::still_chains.
std::optional<std::int64_t> still_chains(const DrawsFile& file, const SummaryTable& table);

/// If a table has more rows than this, summary.json contains only some of them.
inline constexpr std::size_t most_rows_shown = 20000;

/// Throws InputError, with the prefix `key`, if a name is neither a variable of `posterior` ("x")
/// nor elements of a variable, by numbers or labels ("x[3]", "x[Ulm]", "x[0:10]").
MIXWELL_INTERNAL void check_row_names(const std::vector<std::string>& names,
                                      const std::vector<Column>& columns,
                                      const std::vector<Labels>& labels, const std::string& key);

/// All rows in order. If there are too many: the named rows, scalars, and the worst 500 rows of
/// each kind (no ess_bulk, smallest ess_bulk, smallest ess_tail, largest rhat).
std::vector<std::size_t> shown_rows(const SummaryTable& table,
                                    const std::vector<std::string>& names,
                                    const std::vector<Labels>& labels);

}  // namespace mixwell
