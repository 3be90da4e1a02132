// One row of a summary: the figures of one scalar quantity, and which of them not to rely on.
// SPDX-License-Identifier: Apache-2.0
#include "results/row.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace mixwell {
namespace {

using diagnostics::PaperEstimator;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Whether the estimate says little, whatever the others say: it is small, near its floor, or from
/// chains too short for it.
bool is_low(const PaperEstimator& paper, double value, double draws, double limit, double all) {
  return (paper.is_size && value < std::max(limit, 2 * paper.floor * all)) || draws < paper.length;
}

std::vector<std::string> unreliable(const SummaryRow& row, const PaperEstimators& papers,
                                    double draws, double chains) {
  const double limit = diagnostics::least_reliable_ess(static_cast<Eigen::Index>(chains));
  const bool few = row.standard.ess_bulk < limit;
  std::vector<std::string> keys;
  const auto add = [&](const char* key, double value, bool low) {
    if (!std::isnan(value) && (few || low)) keys.emplace_back(key);
  };
  add("ess_bulk", row.standard.ess_bulk, false);
  add("ess_tail", row.standard.ess_tail, row.standard.ess_tail < limit);
  for (std::size_t k = 0; k < papers.size(); ++k) {
    const double value = row.papers[k].second;
    add(papers[k]->definition.key, value, is_low(*papers[k], value, draws, limit, draws * chains));
  }
  return keys;
}

}  // namespace

SummaryRow summary_row(std::string name, const diagnostics::Draws& draws,
                       const RowSettings& settings) {
  const bool none = draws.size() == 0;
  SummaryRow row{
      std::move(name),
      none ? diagnostics::StandardFigures{nan, nan, nan, nan, nan, nan, nan, nan, nan, nan}
      : settings.weighted() ? diagnostics::summarise(draws, settings.weights, settings.together)
                            : diagnostics::summarise(draws, settings.together)};
  for (const PaperEstimator* const paper : settings.papers)
    row.papers.emplace_back(paper->definition.key, paper->of(draws));
  row.unreliable = unreliable(row, settings.papers, static_cast<double>(draws.rows()),
                              static_cast<double>(draws.cols()));
  return row;
}

}  // namespace mixwell
