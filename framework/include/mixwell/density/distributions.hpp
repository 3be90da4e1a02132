// Univariate log densities, with Stan's names and parameters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/density/dual.hpp>
#include <mixwell/density/special.hpp>
#include <mixwell/density/values.hpp>

#include <cmath>
#include <numbers>
#include <type_traits>

/// Each argument and each result is a Number. Each `_lpdf` function of this file also accepts a
/// VectorView as y. It then returns the sum over the elements of y. All constants are included, as
/// in Stan's `target += NAME(y | ...)`. Outside its support, a density returns the value of its
/// formula, which is usually NaN. Do not rely on this. Declare the constraint of the parameter
/// instead. Functions whose names end in `_lpdf` are log densities of real numbers. Functions whose
/// names end in `_lpmf` are log probabilities of whole numbers. The whole numbers must be data, and
/// are passed as doubles. See the Stan Functions Reference 2.36.
namespace mixwell {

namespace detail {

/// Converts integers to double, so that 1 / 2 is 0.5.
template <Number T>
auto number(const T& x) {
  if constexpr (std::is_arithmetic_v<T>)
    return static_cast<double>(x);
  else
    return x;
}

inline constexpr double half_log_two_pi = 0.91893853320467274178;

}  // namespace detail

using std::exp;
using std::log;
using std::log1p;
using std::pow;
using std::sqrt;

/// N(mu, sigma^2).
auto normal_lpdf(const Number auto& y, const Number auto& mu, const Number auto& sigma) {
  const auto s = detail::number(sigma);
  const auto z = (detail::number(y) - detail::number(mu)) / s;
  return -0.5 * square(z) - log(s) - detail::half_log_two_pi;
}
template <class S>
S normal_lpdf(const VectorView<S>& y, const Number auto& mu, const Number auto& sigma) {
  const auto m = detail::number(mu);
  const auto s = detail::number(sigma);
  const S squares = sum_of(y, [&](const S& one) { return S(square(one - m)); });
  return -0.5 * squares / square(s) -
         static_cast<double>(y.size()) * (log(s) + detail::half_log_two_pi);
}

/// N(0, 1).
auto std_normal_lpdf(const Number auto& y) {
  return -0.5 * square(detail::number(y)) - detail::half_log_two_pi;
}
template <class S>
S std_normal_lpdf(const VectorView<S>& y) {
  return sum_of(y, [](const S& one) { return std_normal_lpdf(one); });
}

/// Student's t with nu degrees of freedom, location mu and scale sigma.
auto student_t_lpdf(const Number auto& y, const Number auto& nu, const Number auto& mu,
                    const Number auto& sigma) {
  const auto n = detail::number(nu);
  const auto s = detail::number(sigma);
  const auto z = (detail::number(y) - detail::number(mu)) / s;
  return log_gamma(0.5 * (n + 1.0)) - log_gamma(0.5 * n) - 0.5 * log(n * std::numbers::pi) -
         log(s) - 0.5 * (n + 1.0) * log1p(square(z) / n);
}
template <class S>
S student_t_lpdf(const VectorView<S>& y, const Number auto& nu, const Number auto& mu,
                 const Number auto& sigma) {
  return sum_of(y, [&](const S& one) { return S(student_t_lpdf(one, nu, mu, sigma)); });
}

auto cauchy_lpdf(const Number auto& y, const Number auto& mu, const Number auto& sigma) {
  const auto s = detail::number(sigma);
  const auto z = (detail::number(y) - detail::number(mu)) / s;
  return -log1p(square(z)) - log(s * std::numbers::pi);
}
template <class S>
S cauchy_lpdf(const VectorView<S>& y, const Number auto& mu, const Number auto& sigma) {
  return sum_of(y, [&](const S& one) { return S(cauchy_lpdf(one, mu, sigma)); });
}

/// Mean 1 / beta.
auto exponential_lpdf(const Number auto& y, const Number auto& beta) {
  const auto b = detail::number(beta);
  return log(b) - b * detail::number(y);
}
template <class S>
S exponential_lpdf(const VectorView<S>& y, const Number auto& beta) {
  return sum_of(y, [&](const S& one) { return S(exponential_lpdf(one, beta)); });
}

/// Shape alpha, rate beta: mean alpha / beta.
auto gamma_lpdf(const Number auto& y, const Number auto& alpha, const Number auto& beta) {
  const auto x = detail::number(y);
  const auto a = detail::number(alpha);
  const auto b = detail::number(beta);
  return a * log(b) - log_gamma(a) + (a - 1.0) * log(x) - b * x;
}
template <class S>
S gamma_lpdf(const VectorView<S>& y, const Number auto& alpha, const Number auto& beta) {
  return sum_of(y, [&](const S& one) { return S(gamma_lpdf(one, alpha, beta)); });
}

auto beta_lpdf(const Number auto& y, const Number auto& alpha, const Number auto& beta) {
  const auto x = detail::number(y);
  const auto a = detail::number(alpha);
  const auto b = detail::number(beta);
  return log_gamma(a + b) - log_gamma(a) - log_gamma(b) + (a - 1.0) * log(x) + (b - 1.0) * log1m(x);
}
template <class S>
S beta_lpdf(const VectorView<S>& y, const Number auto& alpha, const Number auto& beta) {
  return sum_of(y, [&](const S& one) { return S(beta_lpdf(one, alpha, beta)); });
}

/// Mean e^eta.
auto poisson_log_lpmf(double n, const Number auto& eta) {
  const auto x = detail::number(eta);
  return n * x - exp(x) - log_factorial(n);
}

/// Mean mu, variance mu + mu^2 / phi, with mu = e^eta.
auto neg_binomial_2_log_lpmf(double n, const Number auto& eta, const Number auto& phi) {
  const auto x = detail::number(eta);
  const auto p = detail::number(phi);
  const auto log_p = log(p);
  return log_gamma(n + p) - log_gamma(p) - log_factorial(n) + n * (x - log_p) -
         (n + p) * log1p_exp(x - log_p);
}
/// Mean mu, variance mu + mu^2 / phi.
auto neg_binomial_2_lpmf(double n, const Number auto& mu, const Number auto& phi) {
  return neg_binomial_2_log_lpmf(n, log(detail::number(mu)), phi);
}

/// P(y = 1) = 1 / (1 + e^-eta); y is 0 or 1.
auto bernoulli_logit_lpmf(double y, const Number auto& eta) {
  const auto x = detail::number(eta);
  return y == 1.0 ? log_inv_logit(x) : y == 0.0 ? log1m_inv_logit(x) : std::nan("") * x;
}

/// n successes in N trials.
auto binomial_logit_lpmf(double n, double N, const Number auto& eta) {
  const auto x = detail::number(eta);
  return log_factorial(N) - log_factorial(n) - log_factorial(N - n) + n * x - N * log1p_exp(x);
}

/// P(k) is proportional to e^(beta_k) for k = 0, 1, ... `beta` is any type with size() and [k].
template <class List>
auto categorical_logit_lpmf(Index k, const List& beta) {
  return beta[k] - log_sum_exp(beta);
}

}  // namespace mixwell
