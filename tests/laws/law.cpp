// Findings as a verdict and as text.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/laws/law.hpp>

#include <algorithm>

namespace mixwell::laws {

bool all_hold(const Findings& findings) {
  return std::all_of(findings.begin(), findings.end(),
                     [](const Finding& finding) { return finding.holds; });
}

std::string report(const Findings& findings) {
  std::string text;
  for (const Finding& finding : findings)
    text += (finding.holds ? "holds   " : "BROKEN  ") + finding.law + ": " + finding.detail + "\n";
  return text;
}

}  // namespace mixwell::laws
