// One row of a summary: the figures of one scalar quantity, and which of them not to rely on.
// SPDX-License-Identifier: Apache-2.0
#include "results/row.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mixwell {
namespace {

using diagnostics::PaperEstimator;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Whether the estimate says little, whatever the others say: it is small, near its floor, or from
/// chains too short for it.
bool is_low(const PaperEstimator& paper, double value, double draws, double limit, double all) {
  return (paper.is_size && value < std::max(limit, 2 * paper.floor * all)) || draws < paper.length;
}

SummaryJson unreliable(const SummaryRow& row, const PaperEstimators& papers, double draws,
                       double chains) {
  const double limit = diagnostics::least_reliable_ess(static_cast<Eigen::Index>(chains));
  const bool few = row.standard.ess_bulk < limit;
  SummaryJson keys = SummaryJson::array();
  const auto add = [&](const char* key, double value, bool low) {
    if (!std::isnan(value) && (few || low)) keys.push_back(key);
  };
  add("ess_bulk", row.standard.ess_bulk, false);
  add("ess_tail", row.standard.ess_tail, row.standard.ess_tail < limit);
  for (std::size_t k = 0; k < papers.size(); ++k) {
    const double value = row.papers[k];
    add(papers[k]->definition.key, value, is_low(*papers[k], value, draws, limit, draws * chains));
  }
  return keys;
}

}  // namespace

SummaryJson number_or_null(double value) {
  return std::isfinite(value) ? SummaryJson(value) : SummaryJson(nullptr);
}

SummaryRow summary_row(const diagnostics::Draws& draws, const RowSettings& settings) {
  const bool none = draws.size() == 0;
  SummaryRow row{
      none ? diagnostics::StandardFigures{nan, nan, nan, nan, nan, nan, nan, nan, nan, nan}
      : settings.weighted() ? diagnostics::summarise(draws, settings.weights, settings.together)
                            : diagnostics::summarise(draws, settings.together),
      {}};
  for (const PaperEstimator* const paper : settings.papers) row.papers.push_back(paper->of(draws));
  return row;
}

SummaryJson to_json(const SummaryRow& row, const PaperEstimators& papers, Eigen::Index draws,
                    Eigen::Index chains) {
  const diagnostics::StandardFigures& s = row.standard;
  SummaryJson json = {{"mean", number_or_null(s.mean)},
                      {"sd", number_or_null(s.sd)},
                      {"mcse_mean", number_or_null(s.mcse_mean)},
                      {"mcse_sd", number_or_null(s.mcse_sd)},
                      {"q5", number_or_null(s.q5)},
                      {"q50", number_or_null(s.q50)},
                      {"q95", number_or_null(s.q95)},
                      {"rhat", number_or_null(s.rhat)},
                      {"ess_bulk", number_or_null(s.ess_bulk)},
                      {"ess_tail", number_or_null(s.ess_tail)}};
  for (std::size_t k = 0; k < papers.size(); ++k)
    json[papers[k]->definition.key] = number_or_null(row.papers[k]);
  json["unreliable"] =
      unreliable(row, papers, static_cast<double>(draws), static_cast<double>(chains));
  return json;
}

}  // namespace mixwell
