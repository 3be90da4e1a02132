// The part of a summary about a reference that the draws are compared with.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "results/row.hpp"
#include "results/vector.hpp"

#include <mixwell/base/export.hpp>
#include <mixwell/lab/summary.hpp>

namespace mixwell {

/// Draws of a vector, and how much each counts (empty: all the same).
struct ComparedDraws {
  DrawnVector vector;
  Eigen::VectorXd weights;
};

/// From a draws.nc, a folder that holds one, or a CSV file. Throws InputError.
MIXWELL_INTERNAL ComparedDraws read_compared_draws(const std::string& path);

/// Places of the same names on both sides, in the order of the first.
struct SharedNames {
  std::vector<Index> here;
  std::vector<Index> there;
  std::vector<std::string> left_out;  ///< names of only one side
};

/// `there`: names of elements by numbers, or by labels of `here` (coordinates_called). Throws
/// InputError for an unknown label of an array of both, for a name of several elements, and two
/// names of one. O(n log n), with the labels for each name that has one.
MIXWELL_INTERNAL SharedNames shared_names(const DrawnVector& here,
                                          const std::vector<std::string>& there);

/// Monte Carlo error of the mean of each column, whose rows are chain after chain; `weights`:
/// empty, or one a row.
MIXWELL_INTERNAL Eigen::VectorXd errors_of_means(const Eigen::MatrixXd& draws,
                                                 const Eigen::MatrixXd& weights, Index chains);

/// Whether an error relative to means with these Monte Carlo errors says anything: in sum they are
/// more than 4 errors from 0. An error that is not known, as of a constant, counts as 0.
MIXWELL_INTERNAL bool are_apart_from_0(const Eigen::VectorXd& means, const Eigen::VectorXd& errors);

/// `reference` of a summary; `weights`: those of the draws, draws x chains, or empty. Throws
/// InputError.
ReferenceSummary summarise_reference(const DrawsFile& file, const SummaryOptions& options,
                                     const Eigen::MatrixXd& weights);

/// What the figures of `reference` are; none without one.
std::vector<diagnostics::Definition> reference_definitions(const SummaryOptions& options);

}  // namespace mixwell
