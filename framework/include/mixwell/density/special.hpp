// Special functions for densities.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/types.hpp>

namespace mixwell {

/// log |Gamma(x)|. Thread-safe, unlike std::lgamma.
MIXWELL_EXPORT double log_gamma(double x) noexcept;
/// The derivative of log_gamma. NaN at 0, -1, -2, ...
MIXWELL_EXPORT double digamma(double x) noexcept;
/// The derivative of digamma. NaN at 0, -1, -2, ...
MIXWELL_EXPORT double trigamma(double x) noexcept;
/// log n! for a whole number n >= 0 (from a table for n < 1024). NaN for any other n.
MIXWELL_EXPORT double log_factorial(double n) noexcept;

}  // namespace mixwell
