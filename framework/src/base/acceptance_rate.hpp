// The statistic by which every accept is known, to summaries and to verify.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace mixwell {

inline constexpr char acceptance_rate[] = "acceptance_rate";

/// It, or NAME_acceptance_rate where several kernels are recorded.
constexpr bool is_acceptance_rate(std::string_view statistic) {
  constexpr std::string_view own = acceptance_rate;
  if (!statistic.ends_with(own)) return false;
  statistic.remove_suffix(own.size());
  return statistic.empty() || statistic.ends_with('_');
}

/// NAME of NAME_acceptance_rate, and "" of all else.
constexpr std::string_view kernel_of_acceptance_rate(std::string_view statistic) {
  constexpr std::string_view own = acceptance_rate;
  if (!is_acceptance_rate(statistic) || statistic.size() == own.size()) return {};
  return statistic.substr(0, statistic.size() - own.size() - 1);
}

}  // namespace mixwell
