// The probability of an order of draws from Polya's urn, accurate for small and large urns.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/math/special_functions/log1p.hpp>

#include <cmath>
#include <cstddef>

namespace mixwell::beta_binomial {

/// A number c = a s and its logarithm apart: that stays finite where c underflows.
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

/// The rest of Stirling's series of log Gamma(1 / r), r <= 1 / 16: the next term is below 2e-16.
inline double stirling_rest(double r) {
  return odd_polynomial({1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680, 1.0 / 1188}, r);
}

/// Minus the derivative of the above with respect to z = 1 / r, times z.
inline double digamma_rest(double r) {
  return odd_polynomial({1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240, 1.0 / 132}, r);
}

/// What is left of log Gamma(a + k) - log Gamma(a) beside (a + k) log(a + k) - a log a - k, a = c /
/// s >= 16: -1/2 log(1 + k / a) and a difference of rests.
inline double stirling_tail(double c, double s, double k) {
  const double t = k * s / c;
  return -0.5 * std::log1p(t) + stirling_rest(s / c / (1 + t)) - stirling_rest(s / c);
}

/// x log(x / M) + M - x, what the share of x costs where M was expected, given x - M = e and, in
/// the unit of s, x and M: by a series where they are near, as both may be infinite then.
inline double deviance(double e, double x, double M, double s) {
  const double r = e * s / M;
  if (e == 0 || r == 0) return 0;
  if (std::abs(r) > 0.5) return x / s * std::log(x / M) - e;
  return e * (std::log1p(r) + boost::math::log1pmx(r) / r);
}

/// log(a / (a + b)): of the smaller share by logarithms, of the larger by what it lacks.
inline double log_share(const Base& a, const Base& b, const Base& total) {
  if (a.log < b.log) return a.log - total.log;
  return -std::log1p(total.value > 0 ? b.value / a.value : std::exp(b.log - a.log));
}

/// Takes one draw that adds to `part`, and returns log(part / total) before it.
inline double take(Base& part, const Base& other, Urn& urn) {
  const double log = log_share(part, other, urn.total);
  const auto grown = [&urn](double c) { return Base{c + urn.s, std::log(c + urn.s)}; };
  part = grown(part.value);
  urn.total = grown(urn.total.value);
  return log;
}

/// log_order of y positive of n draws from an urn with a >= 16 or y = 0, b >= 16 or y = n, by
/// Stirling's series, of which the large parts are put together as
///   y log m + (n - y) log(1 - m) + D(a + y, (K + n) m) + D(b + n - y, (K + n) (1 - m)),
/// m = a / K, D the deviance: the binomial terms, and what y gains by being unlike n m. K may be
/// infinite.
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

/// log of (a)_y (b)_(n - y) / (K)_n with rising factorials (a)_k = a (a + 1) ... (a + k - 1): of
/// the probability that n draws from Polya's urn are positive y times, in a given order. The first
/// draws are taken one by one until a and b are at least 16, or have no draws left (at most 32
/// logarithms of shares, each below 0), the others in one piece. The error is some units of the
/// last place of the binomial terms that are left then, and of log n.
inline double log_order(Urn urn, double y, double n) {
  double log = 0;
  for (; y > 0 && urn.positive.value < detail::large * urn.s; --y, --n)
    log += detail::take(urn.positive, urn.negative, urn);
  for (; n > y && urn.negative.value < detail::large * urn.s; --n)
    log += detail::take(urn.negative, urn.positive, urn);
  return log + detail::log_order_of_large(urn, y, n);
}

/// a d log (a)_k / d a = sum_{i < k} c / (c + i s), c = a s: term by term while c +
/// i s < 16 s or few are left, the others by the series of the digamma function. In [0, k], to some
/// units of the last place of k.
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
