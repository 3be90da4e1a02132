// One row of a summary: the figures of one scalar quantity, and which of them not to rely on.
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

/// Which papers' estimators a summary shows beside the standard figures.
using PaperEstimators = std::vector<const diagnostics::PaperEstimator*>;

/// What all rows of a summary have in common.
struct RowSettings {
  PaperEstimators papers;
  Eigen::MatrixXd weights;    ///< draws x chains; 0 x 0 where every draw counts the same
  Eigen::Index together = 1;  ///< chains that are not independent (diagnostics.hpp)
  /// Of the ranks of all draws; null: each row makes its own.
  std::shared_ptr<const diagnostics::NormalScores> scores = nullptr;

  bool weighted() const noexcept { return weights.size() > 0; }
};

/// Those that rows of so many draws and chains have in common.
std::shared_ptr<const diagnostics::NormalScores> normal_scores(Eigen::Index draws,
                                                               Eigen::Index chains);

/// The figures of one scalar quantity, without what only a row that is shown has.
struct RowFigures {
  diagnostics::StandardFigures standard;
  std::vector<double> papers;  ///< of RowSettings::papers, in order
  std::int64_t nan_draws = 0;
  std::int64_t infinite_draws = 0;
  bool constant = false;  ///< SummaryRow::constant
};

/// All NaN where there are no draws.
RowFigures row_figures(const diagnostics::Draws& draws, const RowSettings& settings);

/// `figures`: of so many draws and chains, with these papers' estimators.
SummaryRow summary_row(std::string name, const RowFigures& figures, const PaperEstimators& papers,
                       Eigen::Index draws, Eigen::Index chains);

SummaryRow summary_row(std::string name, const diagnostics::Draws& draws,
                       const RowSettings& settings);

/// `directions` of a summary. Throws InputError.
DirectionsSummary summarise_directions(const DrawsFile& file, const SummaryOptions& options,
                                       const RowSettings& settings);

}  // namespace mixwell
