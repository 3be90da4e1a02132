// One row of a summary: the figures of one scalar quantity, and which of them not to rely on.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/lab/diagnostics.hpp>
#include <mixwell/lab/ess.hpp>
#include <mixwell/lab/summary.hpp>

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

  bool weighted() const noexcept { return weights.size() > 0; }
};

/// All NaN where there are no draws.
SummaryRow summary_row(std::string name, const diagnostics::Draws& draws,
                       const RowSettings& settings);

}  // namespace mixwell
