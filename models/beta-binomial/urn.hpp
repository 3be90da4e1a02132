// The probability of a sequence of draws from Polya's urn, computed accurately for any urn.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/math/special_functions/log1p.hpp>

#include <cmath>
#include <cstddef>

namespace mixwell::beta_binomial {

/// A number c = a s and its logarithm, stored separately because the logarithm stays finite when c
/// underflows.
struct Base {
  double value;
  double log;
};

/// a, b and K = a + b in a common unit: s a, s b and s K; s = 0 stands for an infinite urn.
struct Urn {
  Base positive;
  Base negative;
  Base total;
  double s;
};

namespace detail {

inline constexpr double large = 16;

/// sum_m c[m] x^(2 m + 1).
template <std::size_t n>
double odd_polynomial(const double (&c)[n], double x) {
  double value = 0;
  for (std::size_t m = n; m > 0; --m) value = value * (x * x) + c[m - 1];
  return value * x;
}

/// The remainder of Stirling's series of log Gamma(1 / r), r <= 1 / 16; the next term is below
/// 2e-16.
inline double stirling_rest(double r) {
  return odd_polynomial({1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680, 1.0 / 1188}, r);
}

/// Minus the derivative of stirling_rest with respect to z = 1 / r, times z.
inline double digamma_rest(double r) {
  return odd_polynomial({1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240, 1.0 / 132}, r);
}

/// log Gamma(a + k) - log Gamma(a) without its main part (a + k) log(a + k) - a log a - k, for a =
/// c / s >= 16. The result is -1/2 log(1 + k / a) plus a difference of remainders.
inline double stirling_tail(double c, double s, double k) {
  const double t = k * s / c;
  return -0.5 * std::log1p(t) + stirling_rest(s / c / (1 + t)) - stirling_rest(s / c);
}

/// x log(x / M) + M - x, the deviance of x from its expected value M. The arguments are x - M = e,
/// and x and M in the unit of s. Uses a series if x and M are close, because both may then be
/// infinite.
inline double deviance(double e, double x, double M, double s) {
  const double r = e * s / M;
  if (e == 0 || r == 0) return 0;
  if (std::abs(r) > 0.5) return x / s * std::log(x / M) - e;
  return e * (std::log1p(r) + boost::math::log1pmx(r) / r);
}

/// log(a / (a + b)). Computes the smaller share from logarithms, and the larger share as the
/// complement of the smaller.
inline double log_share(const Base& a, const Base& b, const Base& total) {
  if (a.log < b.log) return a.log - total.log;
  return -std::log1p(total.value > 0 ? b.value / a.value : std::exp(b.log - a.log));
}

/// Makes one draw that adds to `part`. Returns log(part / total) as it was before the draw.
inline double take(Base& part, const Base& other, Urn& urn) {
  const double log = log_share(part, other, urn.total);
  const auto grown = [&urn](double c) { return Base{c + urn.s, std::log(c + urn.s)}; };
  part = grown(part.value);
  urn.total = grown(urn.total.value);
  return log;
}

/// log_order by Stirling's series, for y positive draws of n from an urn with a >= 16 or y = 0, and
/// b >= 16 or y = n. The large parts of the series are combined into
///   y log m + (n - y) log(1 - m) + D(a + y, (K + n) m) + D(b + n - y, (K + n) (1 - m)),
/// where m = a / K and D is the deviance. These are the binomial terms, and a correction for y that
/// differs from n m. K may be infinite.
inline double log_order_of_large(const Urn& urn, double y, double n) {
  const auto& [a, b, total, s] = urn;
  double log = 0;
  if (y > 0) log += y * log_share(a, b, total);
  if (n > y) log += (n - y) * log_share(b, a, total);
  if (s == 0 || n == 0) return log;
  const double m = a.value / total.value;
  const double rest = b.value / total.value;
  const double e = m < rest ? y - n * m : n * rest - (n - y);
  log += deviance(e, a.value + y * s, a.value + n * m * s, s);
  log += deviance(-e, b.value + (n - y) * s, b.value + n * rest * s, s);
  if (y > 0) log += stirling_tail(a.value, s, y);
  if (n > y) log += stirling_tail(b.value, s, n - y);
  return log - stirling_tail(total.value, s, n);
}

}  // namespace detail

/// log of (a)_y (b)_(n - y) / (K)_n with rising factorials (a)_k = a (a + 1) ... (a + k - 1): the
/// log probability that n draws from Polya's urn are positive y times, in a given order. Computes
/// draws one by one until a and b are at least 16, or have no draws left. This takes at most 32
/// logarithms of shares, each below 0. Computes all other draws in one step. The error is a few
/// units in the last place of the remaining binomial terms and of log n.
inline double log_order(Urn urn, double y, double n) {
  double log = 0;
  for (; y > 0 && urn.positive.value < detail::large * urn.s; --y, --n)
    log += detail::take(urn.positive, urn.negative, urn);
  for (; n > y && urn.negative.value < detail::large * urn.s; --n)
    log += detail::take(urn.negative, urn.positive, urn);
  return log + detail::log_order_of_large(urn, y, n);
}

/// a d log (a)_k / d a = sum_{i < k} c / (c + i s), c = a s. Adds terms one by one while c + i s <
/// 16 s or few terms are left. Adds all other terms by the series of the digamma function. The
/// result is in [0, k], with an error of a few units in the last place of k.
inline double rising_weight(double c, double s, double k) {
  if (s == 0) return k;
  constexpr double few = 4;
  double sum = 0;
  for (double i = 0; i < k; ++i) {
    const double here = c + i * s;
    const double share = i == 0 ? 1 : c / here;
    if (here < detail::large * s || k - i <= few) {
      sum += share;
      continue;
    }
    const double t = (k - i) * s / here;
    const double r = s / here;
    const double shrink = 1 / (1 + t);
    return sum + share * ((k - i) / t * std::log1p(t) + 0.5 * t * shrink + detail::digamma_rest(r) -
                          shrink * detail::digamma_rest(r * shrink));
  }
  return sum;
}

}  // namespace mixwell::beta_binomial
