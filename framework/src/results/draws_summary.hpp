// A summary of draws on disk: computed once, told as a summary and as a table.
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
  /// Throws as summarise does. File and options outlive this.
  DrawsSummary(const DrawsFile& file, const SummaryOptions& options);

  double min_ess() const noexcept { return ess_.smallest; }
  /// Whether every element that is no constant has an ess_bulk.
  bool all_have_ess() const noexcept { return ess_.complete; }
  /// Whether it is large enough to be trusted; nothing where there is none.
  std::optional<bool> min_ess_reliable() const;
  double relative_error() const { return largest_relative_error(table_); }

  /// Whether the summary has a row for each element.
  bool shows_all() const noexcept { return shown_.size() == table_.rows().size(); }
  /// summarise(file, gradients, seconds, options), but for the file that it writes.
  Summary summary(double gradients, double seconds) const;
  /// summary.nc: all rows.
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
