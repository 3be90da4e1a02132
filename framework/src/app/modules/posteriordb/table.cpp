// How far each posterior of posteriordb is from its reference draws.
// SPDX-License-Identifier: Apache-2.0
#include "app/command.hpp"
#include "app/ess_text.hpp"
#include "app/modules/posteriordb.hpp"
#include "app/text_table.hpp"

#include <mixwell/lab/study.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mixwell::app {
namespace {

/// Of one row, by the name of a metric; NaN where it is not known.
class Metrics {
 public:
  Metrics(const StudyTable& table, const StudyRow& row) : table_(table), row_(row) {}
  double operator[](const char* name) const {
    const auto found = std::find(table_.metrics.begin(), table_.metrics.end(), name);
    if (found == table_.metrics.end()) return StudyRow::unknown;
    return row_.metrics[static_cast<std::size_t>(found - table_.metrics.begin())];
  }

 private:
  const StudyTable& table_;
  const StudyRow& row_;
};

std::string number(double value, const char* format) {
  return std::isnan(value) ? "" : fmt::format(fmt::runtime(format), value);
}

/// In one word, or what went wrong.
std::string status_text(const StudyRow& row) {
  return row.status == CellStatus::failed ? cut(row.reason, 60)
                                          : std::string(to_string(row.status));
}

}  // namespace

ExitCode mixwell_posteriordb_table(const PosteriordbArguments& arguments) {
  const StudyTable table = read_study_table(arguments.results(), print_note);
  if (arguments.json) {
    fmt::print("{}", study_table_json(table));
    return ExitCode::ok;
  }
  TextTable text({{"posterior"},
                  {"|mean - ref|/mcse", Align::right},
                  {"/sd", Align::right},
                  {"within 4", Align::right},
                  {"sd/ref sd", Align::right},
                  {"R-hat", Align::right},
                  {"min ESS", Align::right},
                  {"/eval", Align::right},
                  {"/s", Align::right},
                  {"div", Align::right},
                  {"class"},
                  {"status"}});
  std::size_t done = 0;
  for (const StudyRow& row : table.rows) {
    const Metrics metric(table, row);
    const double least = metric["sd_ratio_min"];
    if (row.status == CellStatus::pending) continue;
    if (row.status == CellStatus::done) ++done;
    text.add({row.model, number(metric["mean_error_mcse"], "{:.2f}"),
              number(metric["mean_error_sd"], "{:.3f}"),
              number(100.0 * metric["within_4_mcse"], "{:.1f} %"),
              std::isnan(least) ? "" : fmt::format("{:.2f}-{:.2f}", least, metric["sd_ratio_max"]),
              number(metric["max_rhat"], "{:.3f}"),
              std::isnan(row.min_ess) ? "" : ess_text(row.min_ess, row.min_ess_mcse),
              number(metric["min_ess_per_gradient"], "{:.3g}"),
              number(metric["min_ess_per_second"], "{:.3g}"),
              number(metric["divergences"], "{:.0f}"), row.certificate.value_or(""),
              status_text(row)});
  }
  fmt::print(
      "{}\n{} of {} posteriors done. Errors of the means of all parameters are in Monte Carlo "
      "errors "
      "of both\nsides and in sd of the reference: the worst, and the share within 4 errors.\n",
      text.text(), done, table.rows.size());
  return ExitCode::ok;
}

}  // namespace mixwell::app
