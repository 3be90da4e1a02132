// An effective sample size as a person reads it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mixwell::app {

/// "4009 (3080 to 5220)": with its 95 % interval exp(log ESS +- 1.96 mcse / ESS), as its error is
/// one of the logarithm; "34 (rough)" where that is wider than a factor of 3 either way; the number
/// alone where no error is known, "-" where there is no number.
std::string ess_text(double ess, double mcse);

}  // namespace mixwell::app
