// Special functions that densities use.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/density/special.hpp>

#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>

#include <array>
#include <cmath>
#include <limits>

namespace mixwell {
namespace {

namespace policies = boost::math::policies;

/// Undefined results are NaN, so that no exception leaves a density.
using Quiet = policies::policy<policies::pole_error<policies::ignore_error>,
                               policies::domain_error<policies::ignore_error>>;

constexpr std::size_t tabled = 1024;

std::array<double, tabled> log_factorials() {
  std::array<double, tabled> table{};
  for (std::size_t n = 2; n < tabled; ++n) table[n] = log_gamma(static_cast<double>(n) + 1.0);
  return table;
}

}  // namespace

double log_gamma(double x) noexcept {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

double digamma(double x) noexcept {
  if (std::isinf(x)) return x > 0.0 ? x : std::numeric_limits<double>::quiet_NaN();
  return boost::math::digamma(x, Quiet());
}

double trigamma(double x) noexcept {
  if (std::isinf(x)) return x > 0.0 ? 0.0 : std::numeric_limits<double>::quiet_NaN();
  if (x <= 0.0 && x == std::floor(x)) return std::numeric_limits<double>::quiet_NaN();
  return boost::math::trigamma(x, Quiet());
}

double log_factorial(double n) noexcept {
  static const std::array<double, tabled> table = log_factorials();
  if (!(n >= 0.0) || n != std::floor(n)) return std::numeric_limits<double>::quiet_NaN();
  return n < static_cast<double>(tabled) ? table[static_cast<std::size_t>(n)] : log_gamma(n + 1.0);
}

}  // namespace mixwell
