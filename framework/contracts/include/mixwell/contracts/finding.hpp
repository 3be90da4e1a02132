// The result of checking an implementation against the contract of its interface.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace mixwell::contracts {

/// One clause of a contract, and whether the implementation satisfies it.
struct Finding {
  std::string clause;
  bool holds = false;
  std::string detail;   ///< what was measured; if it is broken, where and how badly
  std::string trait{};  ///< the tested trait, named as in a certificate's Assumption; "" for none
};

using Findings = std::vector<Finding>;

bool all_hold(const Findings& findings);
/// Returns one line for each clause: "holds" or "BROKEN", the clause, the detail.
std::string report(const Findings& findings);

}  // namespace mixwell::contracts
