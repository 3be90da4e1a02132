// The part of a summary that compares the draws with a reference.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "results/row.hpp"
#include "results/vector.hpp"

#include <mixwell/base/export.hpp>
#include <mixwell/lab/summary.hpp>

namespace mixwell {

/// Draws of a vector with their weights (empty: all draws have the same weight).
struct ComparedDraws {
  DrawnVector vector;
  Eigen::VectorXd weights;
};

/// Reads a draws.nc, a folder that contains one, or a CSV file. Throws InputError.
MIXWELL_INTERNAL ComparedDraws read_compared_draws(const std::string& path);

/// The indices of the common names on both sides. The first side gives the order.
struct SharedNames {
  std::vector<Index> here;
  std::vector<Index> there;
  std::vector<std::string> left_out;  ///< names that only one side has
};

/// `there` contains names of elements, with numbers or with labels of `here` (coordinates_called).
/// Throws InputError for an unknown label in an array that both sides have, for a name of several
/// elements, and for two names of one element. The cost is O(n log n), plus a search of all labels
/// for each name that has a label.
MIXWELL_INTERNAL SharedNames shared_names(const DrawnVector& here,
                                          const std::vector<std::string>& there);

/// The Monte Carlo error of the mean of each column. The rows are the draws of one chain after
/// another. `weights` is empty or has one weight per row.
MIXWELL_INTERNAL Eigen::VectorXd errors_of_means(const Eigen::MatrixXd& draws,
                                                 const Eigen::MatrixXd& weights, Index chains);

/// Whether an error relative to these means is meaningful: the sum of |means| must be more than 4
/// times the sum of `errors`, their Monte Carlo errors. An unknown error, such as of a constant,
/// counts as 0.
MIXWELL_INTERNAL bool are_apart_from_0(const Eigen::VectorXd& means, const Eigen::VectorXd& errors);

/// The member `reference` of a summary. `weights`: weights of the draws, draws x chains, or empty.
/// Throws InputError.
ReferenceSummary summarise_reference(const DrawsFile& file, const SummaryOptions& options,
                                     const Eigen::MatrixXd& weights);

/// The definitions of the figures in `reference`. Empty without a reference.
std::vector<diagnostics::Definition> reference_definitions(const SummaryOptions& options);

}  // namespace mixwell
