// Summarises findings as one verdict and as text.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/contracts/finding.hpp>

#include <algorithm>

namespace mixwell::contracts {

bool all_hold(const Findings& findings) {
  return std::all_of(findings.begin(), findings.end(),
                     [](const Finding& finding) { return finding.holds; });
}

std::string report(const Findings& findings) {
  std::string text;
  for (const Finding& finding : findings)
    text +=
        (finding.holds ? "holds   " : "BROKEN  ") + finding.clause + ": " + finding.detail + "\n";
  return text;
}

}  // namespace mixwell::contracts
