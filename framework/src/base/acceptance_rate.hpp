// The name of the acceptance rate in recorded statistics, and functions that recognise the name.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace mixwell {

inline constexpr char acceptance_rate[] = "acceptance_rate";

/// Whether a statistic is an acceptance rate. If several kernels are recorded, its name is
/// NAME_acceptance_rate.
constexpr bool is_acceptance_rate(std::string_view statistic) {
  constexpr std::string_view own = acceptance_rate;
  if (!statistic.ends_with(own)) return false;
  statistic.remove_suffix(own.size());
  return statistic.empty() || statistic.ends_with('_');
}

/// The NAME in NAME_acceptance_rate; "" for every other statistic.
constexpr std::string_view kernel_of_acceptance_rate(std::string_view statistic) {
  constexpr std::string_view own = acceptance_rate;
  if (!is_acceptance_rate(statistic) || statistic.size() == own.size()) return {};
  return statistic.substr(0, statistic.size() - own.size() - 1);
}

}  // namespace mixwell
