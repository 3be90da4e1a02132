// Draws of a vector that is made of several variables, and of statistics, for parts of a summary.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/lab/draws.hpp>

#include <optional>
#include <string>
#include <vector>

namespace mixwell {

/// Draws of a vector, chain after chain, one column for each coordinate.
struct DrawnVector {
  std::vector<std::string> names;  ///< by numbers: element_name
  Eigen::MatrixXd draws;
  std::vector<Column> columns{};  ///< what it is made of, one after another; only of draws.nc
  std::vector<Labels> labels{};   ///< of their dimensions
};

/// Coordinates that `text` names, as elements_called. Nothing if it is about none of its columns.
MIXWELL_INTERNAL std::optional<std::vector<Index>> coordinates_called(const DrawnVector& vector,
                                                                      const std::string& text);

/// The statistic `weight`, draws x chains, where it is there and not the same everywhere.
MIXWELL_INTERNAL Eigen::MatrixXd varying_weights(const DrawsFile& file);

/// All elements of the real variables of `posterior` that `of` names (of all of them if it is
/// empty), in the order of the file. Throws InputError for a name that is none, said to come from
/// `key` (`--of`), and where the draws take more memory than the machine has, for `option`.
MIXWELL_INTERNAL DrawnVector read_vector(const DrawsFile& file, const std::vector<std::string>& of,
                                         const std::string& key, const std::string& option);

/// draws x chains of a scalar of sample_stats; nothing where it is not there or has no draws.
std::optional<Eigen::MatrixXd> recorded_statistic(const DrawsFile& file, const std::string& name);

}  // namespace mixwell
