// How far each posterior of posteriordb is from its reference draws.
// SPDX-License-Identifier: Apache-2.0
#include "advice/warnings.hpp"
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

/// In a word or two, or what went wrong.
std::string status_text(const StudyRow& row, double rhat) {
  if (row.status == CellStatus::failed) return cut(row.reason, 60);
  if (row.status != CellStatus::done || rhat <= unmixed_rhat)
    return std::string(to_string(row.status));
  return std::isnan(rhat) ? "not judged" : "not mixed";
}

/// Over all posteriors whose chains have mixed.
class Agreement {
 public:
  void add(const Metrics& metric, bool mixed) {
    ++(mixed ? mixed_ : unmixed_);
    const double variables = metric["compared_variables"];
    if (!mixed || std::isnan(variables)) return;
    variables_ += variables;
    close_ += variables * metric["within_4_mcse"];
  }

  std::string text(std::size_t of) const {
    std::string text = fmt::format("{} of {} posteriors done", mixed_ + unmixed_, of);
    if (variables_ > 0)
      text += fmt::format("; within 4 errors are {:.2f} % of {:.0f} parameters",
                          100.0 * close_ / variables_, variables_);
    if (unmixed_ > 0)
      text += fmt::format(
          ". The chains of {} have not mixed (R-hat above {}, or unknown): they have no Monte "
          "Carlo errors",
          unmixed_, unmixed_rhat);
    return text + ".";
  }

 private:
  std::size_t mixed_ = 0;
  std::size_t unmixed_ = 0;
  double variables_ = 0;
  double close_ = 0;
};

std::vector<std::string> cells(const StudyRow& row, const Metrics& metric, bool mixed) {
  const double least = metric["sd_ratio_min"];
  return {row.model,
          mixed ? number(metric["mean_error_mcse"], "{:.2f}") : "",
          number(metric["mean_error_sd"], "{:.3f}"),
          mixed ? number(100.0 * metric["within_4_mcse"], "{:.1f} %") : "",
          std::isnan(least) ? "" : fmt::format("{:.2f}-{:.2f}", least, metric["sd_ratio_max"]),
          number(metric["max_rhat"], "{:.3f}"),
          std::isnan(row.min_ess) ? "" : ess_text(row.min_ess, row.min_ess_mcse),
          number(metric["min_ess_per_gradient"], "{:.3g}"),
          number(metric["min_ess_per_second"], "{:.3g}"),
          number(metric["divergences"], "{:.0f}"),
          row.certificate.value_or(""),
          status_text(row, metric["max_rhat"])};
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
  Agreement agreement;
  for (const StudyRow& row : table.rows) {
    if (row.status == CellStatus::pending) continue;
    const Metrics metric(table, row);
    const bool mixed = metric["max_rhat"] <= unmixed_rhat;  // not where it is unknown
    if (row.status == CellStatus::done) agreement.add(metric, mixed);
    text.add(cells(row, metric, mixed));
  }
  fmt::print(
      "{}\n{}\nErrors of the means are in Monte Carlo errors of both sides and in sd of the "
      "reference: of each\nposterior the worst, and the share of its parameters within 4 errors.\n",
      text.text(), agreement.text(table.rows.size()));
  return ExitCode::ok;
}

}  // namespace mixwell::app
