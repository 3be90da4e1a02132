// One row of a summary: the statistics of a scalar quantity, and which of them are unreliable.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnostics/ranks.hpp"

#include <mixwell/lab/diagnostics.hpp>
#include <mixwell/lab/ess.hpp>
#include <mixwell/lab/summary.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace mixwell {

/// Estimators from papers that a summary shows in addition to the standard figures.
using PaperEstimators = std::vector<const diagnostics::PaperEstimator*>;

/// Settings that all rows of a summary share.
struct RowSettings {
  PaperEstimators papers;
  Eigen::MatrixXd weights;    ///< draws x chains; 0 x 0 if all draws have the same weight
  Eigen::Index together = 1;  ///< number of chains that are not independent (diagnostics.hpp)
  /// Scores of the ranks of all draws. If this is null, each row computes its own scores.
  std::shared_ptr<const diagnostics::NormalScores> scores = nullptr;

  bool weighted() const noexcept { return weights.size() > 0; }
};

/// The scores that all rows with this number of draws and chains can share.
std::shared_ptr<const diagnostics::NormalScores> normal_scores(Eigen::Index draws,
                                                               Eigen::Index chains);

/// The figures of one scalar quantity, without the parts that only a shown row needs.
struct RowFigures {
  diagnostics::StandardFigures standard;
  std::vector<double> papers;  ///< values of RowSettings::papers, in order
  std::int64_t nan_draws = 0;
  std::int64_t infinite_draws = 0;
  bool constant = false;  ///< SummaryRow::constant
};

/// All figures are NaN if there are no draws.
RowFigures row_figures(const diagnostics::Draws& draws, const RowSettings& settings);

/// `figures` must be computed from `draws` draws of `chains` chains, with the estimators `papers`.
SummaryRow summary_row(std::string name, const RowFigures& figures, const PaperEstimators& papers,
                       Eigen::Index draws, Eigen::Index chains);

SummaryRow summary_row(std::string name, const diagnostics::Draws& draws,
                       const RowSettings& settings);

/// The member `directions` of a summary. Throws InputError.
DirectionsSummary summarise_directions(const DrawsFile& file, const SummaryOptions& options,
                                       const RowSettings& settings);

}  // namespace mixwell
