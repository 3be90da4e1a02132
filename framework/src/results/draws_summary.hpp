// Computes the summary statistics of the draws once, for both summary.json and summary.nc.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "results/table.hpp"

#include <mixwell/base/export.hpp>
#include <mixwell/lab/summary.hpp>

#include <optional>
#include <string>
#include <vector>

namespace mixwell {

class MIXWELL_INTERNAL DrawsSummary {
 public:
  /// Throws the errors of summarise(). File and options must outlive this object.
  DrawsSummary(const DrawsFile& file, const SummaryOptions& options);

  double min_ess() const noexcept { return ess_.smallest; }
  /// Whether every element that is not constant has an ess_bulk.
  bool all_have_ess() const noexcept { return ess_.complete; }
  /// Whether the smallest ess_bulk is large enough to be reliable. Nothing if no element has an
  /// ess_bulk.
  std::optional<bool> min_ess_reliable() const;
  double relative_error() const { return largest_relative_error(table_); }

  /// Whether the summary has a row for each element.
  bool shows_all() const noexcept { return shown_.size() == table_.rows().size(); }
  /// The result of summarise(file, gradients, seconds, options), without writing a file.
  Summary summary(double gradients, double seconds) const;
  /// The contents of summary.nc, with all rows.
  std::string netcdf() const { return netcdf_table(table_, settings_.papers); }

 private:
  std::vector<SummaryRow> variables() const;
  SamplerSummary sampler(double gradients, double seconds) const;
  double min_ess_mcse() const;

  const DrawsFile& file_;
  const SummaryOptions& options_;
  RowSettings settings_;
  SummaryTable table_;
  EssFigures ess_;
  std::vector<std::size_t> shown_;
};

}  // namespace mixwell
