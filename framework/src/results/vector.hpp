// Reads draws for a summary: several variables joined into one vector, or one sampler statistic.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/lab/draws.hpp>

#include <optional>
#include <string>
#include <vector>

namespace mixwell {

/// Draws of a vector, chain after chain, with one column for each coordinate.
struct DrawnVector {
  std::vector<std::string> names;  ///< with numbers, as element_name() gives them
  Eigen::MatrixXd draws;
  std::vector<Column> columns{};  ///< in order; empty unless read from draws.nc
  std::vector<Labels> labels{};   ///< labels of the dimensions of `columns`
};

/// Coordinates that `text` names, as in elements_called. Nothing if `text` names none of the
/// columns.
MIXWELL_INTERNAL std::optional<std::vector<Index>> coordinates_called(const DrawnVector& vector,
                                                                      const std::string& text);

/// The statistic `weight`, draws x chains. Empty if it is not recorded or is the same everywhere.
MIXWELL_INTERNAL Eigen::MatrixXd varying_weights(const DrawsFile& file);

/// All elements of the real variables of `posterior` that `of` names (of all real variables if `of`
/// is empty), in the order of the file. Throws InputError for an unknown name, with the prefix
/// `key` (`--of`), and if the draws need more memory than the machine has, with the prefix
/// `option`.
MIXWELL_INTERNAL DrawnVector read_vector(const DrawsFile& file, const std::vector<std::string>& of,
                                         const std::string& key, const std::string& option);

/// draws x chains of a scalar in sample_stats; nothing if it is missing or has no draws.
std::optional<Eigen::MatrixXd> recorded_statistic(const DrawsFile& file, const std::string& name);

}  // namespace mixwell
