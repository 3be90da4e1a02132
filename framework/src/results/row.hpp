// One row of a summary: the figures of one scalar quantity, and which of them not to rely on.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/lab/diagnostics.hpp>
#include <mixwell/lab/ess.hpp>

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace mixwell {

using SummaryJson = nlohmann::ordered_json;

/// A finite number, or null: the JSON writer would do the same; said because readers rely on it.
SummaryJson number_or_null(double value);

/// Which papers' estimators a summary shows beside the standard figures.
using PaperEstimators = std::vector<const diagnostics::PaperEstimator*>;

struct SummaryRow {
  diagnostics::StandardFigures standard;
  std::vector<double> papers;  ///< of PaperEstimators, in order
};

/// What all rows of a summary have in common.
struct RowSettings {
  PaperEstimators papers;
  Eigen::MatrixXd weights;    ///< draws x chains; 0 x 0 where every draw counts the same
  Eigen::Index together = 1;  ///< chains that are not independent (diagnostics.hpp)

  bool weighted() const noexcept { return weights.size() > 0; }
};

/// All NaN where there are no draws.
SummaryRow summary_row(const diagnostics::Draws& draws, const RowSettings& settings);

/// The figures, and `unreliable`: the keys of those effective sample sizes and times that are below
/// diagnostics::least_reliable_ess, or stand beside an ess_bulk that is, or are within a factor of
/// 2 of the floor of their estimator, or come from chains too short for it.
SummaryJson to_json(const SummaryRow& row, const PaperEstimators& papers, Eigen::Index draws,
                    Eigen::Index chains);

}  // namespace mixwell
