// The rows of a summary, one for each element of the posterior, whatever their number.
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
  /// One for each element, a variable after another.
  const std::vector<RowFigures>& rows() const noexcept { return rows_; }
  /// Of columns()[column].
  std::span<const RowFigures> rows_of(std::size_t column) const;
  /// The first row of columns()[column].
  std::size_t first_row(std::size_t column) const { return first_rows_[column]; }

  /// The element of a variable that a row is of.
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

/// Of the rows' ess_bulk that are there.
struct EssFigures {
  explicit EssFigures(const SummaryTable& table);

  double smallest;  ///< NaN if there is none
  double mean;
  bool complete = true;         ///< every row that is no constant has one
  std::size_t of_smallest = 0;  ///< a row
};

/// The largest mcse_mean / sd of rows that are no constants; infinite where one has none.
double largest_relative_error(const SummaryTable& table);

/// The whole table as a NetCDF-4 file: what it is, docs/results.md says.
std::string netcdf_table(const SummaryTable& table, const PaperEstimators& papers);

/// Of all elements that are no constants, those without some standard figure, together by what the
/// figures are and why they are missing, in the order of the file; then acceptance and E-BFMI where
/// they were recorded and are not numbers.
std::vector<NotJudged> not_judged(const DrawsFile& file, const SummaryTable& table);

/// SamplerSummary::still_chains.
std::optional<std::int64_t> still_chains(const DrawsFile& file, const SummaryTable& table);

/// Of a table with more rows than this, summary.json has some.
inline constexpr std::size_t most_rows_shown = 20000;

/// Throws InputError, said to come from `key`, where one of the names is neither a variable of
/// `posterior` ("x") nor elements of one, by numbers or labels ("x[3]", "x[Ulm]", "x[0:10]").
MIXWELL_INTERNAL void check_row_names(const std::vector<std::string>& names,
                                      const std::vector<Column>& columns,
                                      const std::vector<Labels>& labels, const std::string& key);

/// All rows, unless they are too many: then those that are named, scalars, and the worst: no
/// ess_bulk, the smallest ess_bulk and ess_tail, the largest rhat, 500 of each. In order.
std::vector<std::size_t> shown_rows(const SummaryTable& table,
                                    const std::vector<std::string>& names,
                                    const std::vector<Labels>& labels);

}  // namespace mixwell
