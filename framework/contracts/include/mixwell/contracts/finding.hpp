// What a check of an implementation against its interface's contract reports.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace mixwell::contracts {

/// One clause of a contract, and whether the implementation satisfies it.
struct Finding {
  std::string clause;
  bool holds = false;
  std::string detail;   ///< what was measured; where it is broken, and how badly
  std::string trait{};  ///< that it tests, as a certificate's Assumption names it; "" for none
};

using Findings = std::vector<Finding>;

bool all_hold(const Findings& findings);
/// A line for each clause: "holds" or "BROKEN", the clause, the detail.
std::string report(const Findings& findings);

}  // namespace mixwell::contracts
