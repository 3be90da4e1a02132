// A scalar statistic of the sampler, as it was recorded.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/lab/draws.hpp>

#include <optional>
#include <string>

namespace mixwell {

/// draws x chains of a scalar of sample_stats; nothing where it is not there or has no draws.
std::optional<Eigen::MatrixXd> recorded_statistic(const DrawsFile& file, const std::string& name);

}  // namespace mixwell
