// A scalar statistic of the sampler, as it was recorded.
// SPDX-License-Identifier: Apache-2.0
#include "results/recorded_statistic.hpp"

namespace mixwell {

std::optional<Eigen::MatrixXd> recorded_statistic(const DrawsFile& file, const std::string& name) {
  if (!file.has(RecordGroup::sample_stats, name) || file.draws() == 0) return std::nullopt;
  return file.read({RecordGroup::sample_stats, name, {}, RecordType::real, {}, {}}, 0);
}

}  // namespace mixwell
