// What a check of an implementation against its interface's laws reports.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace mixwell::laws {

/// One law, and whether the implementation satisfies it.
struct Finding {
  std::string law;
  bool holds = false;
  std::string detail;  ///< what was measured; where the law is broken, and how badly
};

using Findings = std::vector<Finding>;

bool all_hold(const Findings& findings);
/// A line for each law: "holds" or "BROKEN", the law, the detail.
std::string report(const Findings& findings);

}  // namespace mixwell::laws
