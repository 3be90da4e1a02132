// Implements the Recorder interface: column sizes, checks of recorded values, and group names.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/recorder.hpp>

#include <cmath>
#include <functional>
#include <numeric>

namespace mixwell {

Recording::~Recording() = default;
Recorder::~Recorder() = default;

Index Column::size() const noexcept {
  return std::accumulate(shape.begin(), shape.end(), Index{1}, std::multiplies<>());
}

std::string_view Column::broken_rule(double value) const noexcept {
  constexpr double largest = 9007199254740992.0;
  if (type == RecordType::boolean && value != 0.0 && value != 1.0) return "0 or 1";
  if (type == RecordType::integer && !(std::abs(value) <= largest && value == std::floor(value)))
    return "a whole number from -2^53 to 2^53";
  return {};
}

std::string_view name_in_file(RecordGroup group, bool of_prior) noexcept {
  if (of_prior && group == RecordGroup::posterior) return "prior";
  if (of_prior && group == RecordGroup::sample_stats) return "sample_stats_prior";
  if (of_prior && group == RecordGroup::posterior_predictive) return "prior_predictive";
  return to_string(group);
}

}  // namespace mixwell
