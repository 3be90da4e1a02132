// Special functions of densities.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/types.hpp>

namespace mixwell {

/// log |Gamma(x)|, from any number of threads at once, as std::lgamma is not.
MIXWELL_EXPORT double log_gamma(double x) noexcept;
/// Its derivative; NaN at 0, -1, -2, ...
MIXWELL_EXPORT double digamma(double x) noexcept;
/// And the derivative of that; NaN there, too.
MIXWELL_EXPORT double trigamma(double x) noexcept;
/// log n! of a whole number n >= 0 (a table for n < 1024), NaN of any other.
MIXWELL_EXPORT double log_factorial(double n) noexcept;

}  // namespace mixwell
