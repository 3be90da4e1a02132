// One row of a summary: the statistics of a scalar quantity, and which of them are unreliable.
// SPDX-License-Identifier: Apache-2.0
#include "results/row.hpp"

#include "base/not_available.hpp"
#include "diagnostics/autocovariance.hpp"
#include "diagnostics/ranks.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mixwell {
namespace {

using diagnostics::PaperEstimator;

/// Whether this estimate is unreliable regardless of other figures: it is small, it is near its
/// smallest possible value, or the chains are too short for the estimator.
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

diagnostics::StandardFigures standard_of(const diagnostics::Draws& draws,
                                         const RowSettings& settings) {
  if (draws.size() == 0)
    return {not_available, not_available, not_available, not_available, not_available,
            not_available, not_available, not_available, not_available, not_available};
  const auto scores = settings.scores ? settings.scores : normal_scores(draws.rows(), draws.cols());
  if (settings.weighted())
    return diagnostics::summarise(draws, settings.weights, settings.together, *scores);
  return diagnostics::summarise(draws, settings.together, *scores);
}

}  // namespace

std::shared_ptr<const diagnostics::NormalScores> normal_scores(Eigen::Index draws,
                                                               Eigen::Index chains) {
  return std::make_shared<const diagnostics::NormalScores>(
      diagnostics::Halves(draws, chains).size());
}

RowFigures row_figures(const diagnostics::Draws& draws, const RowSettings& settings) {
  RowFigures row{standard_of(draws, settings), {}};
  row.nan_draws = draws.array().isNaN().count();
  row.infinite_draws = draws.array().isInf().count();
  row.constant = draws.size() > 0 && draws.allFinite() && diagnostics::is_constant(draws);
  for (const PaperEstimator* const paper : settings.papers) row.papers.push_back(paper->of(draws));
  return row;
}

SummaryRow summary_row(std::string name, const RowFigures& figures, const PaperEstimators& papers,
                       Eigen::Index draws, Eigen::Index chains) {
  SummaryRow row{std::move(name), figures.standard};
  row.nan_draws = figures.nan_draws;
  row.infinite_draws = figures.infinite_draws;
  row.constant = figures.constant;
  for (std::size_t k = 0; k < papers.size(); ++k)
    row.papers.emplace_back(papers[k]->definition.key, figures.papers[k]);
  row.unreliable = unreliable(row, papers, static_cast<double>(draws), static_cast<double>(chains));
  return row;
}

SummaryRow summary_row(std::string name, const diagnostics::Draws& draws,
                       const RowSettings& settings) {
  return summary_row(std::move(name), row_figures(draws, settings), settings.papers, draws.rows(),
                     draws.cols());
}

}  // namespace mixwell
