// The rows of a summary, one for each element of the posterior.
// SPDX-License-Identifier: Apache-2.0
#include "results/table.hpp"

#include "base/memory_limit.hpp"

#include <mixwell/base/machine.hpp>

#include <fmt/format.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mixwell {
namespace {

/// The most memory that the figures of one element need, in units of the memory of its draws. This
/// covers two orders of the draws and series that are padded to at least twice their length.
constexpr double copies = 24;
/// The least memory that the figures of one element need, in the same unit, including the draws
/// themselves. Measured with 2 elements of 4 10^6 draws.
constexpr double least_copies = 14;
/// Memory of the process without draws.
constexpr double beside_draws = 48.0 * 1024 * 1024;

/// The number of elements that may be processed at the same time, with `numbers` draws each, while
/// the draws of `piece` elements are in memory.
Index most_together(Index numbers, Index piece) {
  const double element = sizeof(double) * static_cast<double>(std::max<Index>(1, numbers));
  const double left = memory_limit().bytes - beside_draws - static_cast<double>(piece) * element;
  const double threads = tbb::this_task_arena::max_concurrency();
  return static_cast<Index>(std::clamp(left / (copies * element), 1.0, threads));
}

/// Calls body(k) for k in [0, count), at most `together` calls at a time.
template <class Body>
void in_groups(Index count, Index together, const Body& body) {
  if (together >= tbb::this_task_arena::max_concurrency()) return parallel_for(count, body);
  for (Index first = 0; first < count; first += together)
    parallel_for(std::min(together, count - first), [&](Index k) { body(first + k); });
}

void add_rows(const DrawsFile& file, const Column& column, const RowSettings& settings,
              const StopRequest* stop, std::vector<RowFigures>& rows) {
  const auto before = static_cast<Index>(rows.size());
  rows.resize(rows.size() + static_cast<std::size_t>(column.size()));
  const Index piece = file.elements_at_once(column);
  const Index chains = file.chains();
  const Index together = most_together(file.draws() * chains, std::min(piece, column.size()));
  for (Index first = 0; first < column.size(); first += piece) {
    const Index count = std::min(piece, column.size() - first);
    const Eigen::MatrixXd draws = file.read(column, first, count);
    in_groups(count, together, [&](Index k) {
      end_if_overdue(stop, "the summary");
      rows[static_cast<std::size_t>(before + first + k)] =
          row_figures(draws.middleCols(k * chains, chains), settings);
    });
  }
}

}  // namespace

void require_row_memory(double draws, const std::string& what) {
  require_memory(beside_draws + least_copies * sizeof(double) * draws,
                 fmt::format("{}: the summary of {:.0f} draws of a variable", what, draws));
}

SummaryTable::SummaryTable(const DrawsFile& file, const RowSettings& settings,
                           const StopRequest* stop) {
  require_row_memory(static_cast<double>(file.draws() * file.chains()), "draws.nc");
  for (const Column& column : file.columns()) {
    if (column.group != RecordGroup::posterior) continue;
    columns_.push_back(column);
    first_rows_.push_back(rows_.size());
    add_rows(file, column, settings, stop, rows_);
  }
}

std::span<const RowFigures> SummaryTable::rows_of(std::size_t column) const {
  return std::span(rows_).subspan(first_rows_[column],
                                  static_cast<std::size_t>(columns_[column].size()));
}

SummaryTable::RowElement SummaryTable::element_of(std::size_t row) const {
  const auto after = std::upper_bound(first_rows_.begin(), first_rows_.end(), row);
  const auto column = static_cast<std::size_t>(after - first_rows_.begin()) - 1;
  return {columns_[column], static_cast<Index>(row - first_rows_[column])};
}

EssFigures::EssFigures(const SummaryTable& table)
    : smallest(std::numeric_limits<double>::quiet_NaN()) {
  double sum = 0.0;
  double count = 0.0;
  for (const RowFigures& row : table.rows()) {
    const double ess = row.standard.ess_bulk;
    if (!std::isfinite(ess)) {
      complete = complete && row.constant;
      continue;
    }
    if (count == 0.0 || ess < smallest) {
      smallest = ess;
      of_smallest = static_cast<std::size_t>(&row - table.rows().data());
    }
    sum += ess;
    ++count;
  }
  mean = sum / count;
}

double largest_relative_error(const SummaryTable& table) {
  double largest = 0.0;
  for (const RowFigures& row : table.rows()) {
    if (row.constant) continue;
    const double error = row.standard.mcse_mean / row.standard.sd;
    if (!std::isfinite(error)) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, error);
  }
  return largest;
}

}  // namespace mixwell
