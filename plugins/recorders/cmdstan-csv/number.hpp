// Numbers as CmdStan writes them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace mixwell::cmdstan_csv {

/// Appends `value` with at most `digits` significant digits (17 give every bit back): 0.25, 1e-05,
/// NaN, inf, -inf.
void append_number(std::string& text, double value, int digits);

/// Appends seconds with six decimals and no exponent: readers drop all but digits and the point.
void append_seconds(std::string& text, double seconds);

}  // namespace mixwell::cmdstan_csv
