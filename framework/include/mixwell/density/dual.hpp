// Numbers with derivatives in several directions, for forward differentiation.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/types.hpp>
#include <mixwell/density/special.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace mixwell {

namespace detail {

/// log(1 + e) for 0 <= e <= 1. Uses std::log if e > 1e-3, because std::log1p takes twice as long.
inline double log1p_of(double e) { return e > 1e-3 ? std::log(1.0 + e) : std::log1p(e); }

}  // namespace detail

inline double value_of(double x) { return x; }
inline double square(double x) { return x * x; }
/// 1 / (1 + e^-x).
inline double inv_logit(double x) { return 1.0 / (1.0 + std::exp(-x)); }
inline double logit(double p) { return std::log(p) - std::log1p(-p); }
/// log(1 + e^x), without overflow.
inline double log1p_exp(double x) {
  return std::max(x, 0.0) + detail::log1p_of(std::exp(-std::abs(x)));
}
/// log(1 / (1 + e^-x)) and log(1 - 1 / (1 + e^-x)).
inline double log_inv_logit(double x) { return -log1p_exp(-x); }
inline double log1m_inv_logit(double x) { return -log1p_exp(x); }
/// log(1 - x).
inline double log1m(double x) { return std::log1p(-x); }
/// log(e^a + e^b), without overflow.
inline double log_sum_exp(double a, double b) {
  const double high = std::max(a, b);
  return std::isinf(high) ? high : high + std::log1p(std::exp(-std::abs(a - b)));
}
/// The distribution function of N(0, 1).
inline double Phi(double x) { return 0.5 * std::erfc(-x * 0.70710678118654752440); }

/// Result of a comparison of numbers with derivatives. It is not a bool, so `if` does not compile
/// with it. Use select(condition, a, b).
class Condition {
 public:
  explicit Condition(bool holds) : holds_(holds) {}
  explicit operator bool() const = delete;  // write select(condition, a, b) instead of `if`
  bool holds() const noexcept { return holds_; }

 private:
  bool holds_;
};

/// Returns a if the condition is true, otherwise b. Both a and b are computed.
inline double select(bool condition, double a, double b) { return condition ? a : b; }

/// A number of the form `value` + sum_k `slopes`_k e_k, where e_j e_k = 0 for all j and k.
/// Computing with such numbers gives the derivatives of the same computation with doubles, by the
/// chain rule (Griewank & Walther 2008, Evaluating Derivatives, chapter 3). No memory is allocated.
/// An operation costs `width` or 2 `width` extra multiplications. Functions have their usual names.
template <Index directions>
struct Dual {
  static constexpr Index width = directions;
  using Slopes = Eigen::Array<double, width, 1>;

  double value;
  Slopes slopes;

  Dual(double number = 0.0) : value(number), slopes(Slopes::Zero()) {}
  template <class Expression>
  Dual(double number, const Eigen::ArrayBase<Expression>& derivatives)
      : value(number), slopes(derivatives) {}
  /// Leaves the slopes uninitialised. The caller must write them.
  struct Unset {};
  Dual(double number, Unset) : value(number) {}
  /// Returns f(x), given its value `f` and its derivative f'(x) = `slope`.
  static Dual chain(const Dual& x, double f, double slope) { return {f, slope * x.slopes}; }

  Dual& operator+=(const Dual& b) { return value += b.value, slopes += b.slopes, *this; }
  Dual& operator-=(const Dual& b) { return value -= b.value, slopes -= b.slopes, *this; }
  Dual& operator*=(const Dual& b) { return *this = *this * b; }
  Dual& operator/=(const Dual& b) { return *this = *this / b; }
  Dual& operator+=(double b) { return value += b, *this; }
  Dual& operator-=(double b) { return value -= b, *this; }
  Dual& operator*=(double b) { return value *= b, slopes *= b, *this; }
  Dual& operator/=(double b) { return *this *= 1.0 / b; }

  friend Dual operator-(const Dual& a) { return {-a.value, -a.slopes}; }
  friend Dual operator+(const Dual& a, const Dual& b) {
    return {a.value + b.value, a.slopes + b.slopes};
  }
  friend Dual operator-(const Dual& a, const Dual& b) {
    return {a.value - b.value, a.slopes - b.slopes};
  }
  friend Dual operator*(const Dual& a, const Dual& b) {
    return {a.value * b.value, a.value * b.slopes + b.value * a.slopes};
  }
  friend Dual operator/(const Dual& a, const Dual& b) {
    const double inverse = 1.0 / b.value;
    const double ratio = a.value * inverse;
    return {ratio, inverse * (a.slopes - ratio * b.slopes)};
  }
  friend Dual operator+(const Dual& a, double b) { return {a.value + b, a.slopes}; }
  friend Dual operator-(const Dual& a, double b) { return {a.value - b, a.slopes}; }
  friend Dual operator*(const Dual& a, double b) { return {a.value * b, b * a.slopes}; }
  friend Dual operator/(const Dual& a, double b) { return a * (1.0 / b); }
  friend Dual operator+(double a, const Dual& b) { return b + a; }
  friend Dual operator-(double a, const Dual& b) { return {a - b.value, -b.slopes}; }
  friend Dual operator*(double a, const Dual& b) { return b * a; }
  friend Dual operator/(double a, const Dual& b) {
    const double ratio = a / b.value;
    return {ratio, (-ratio / b.value) * b.slopes};
  }

  friend Condition operator<(const Dual& a, const Dual& b) { return Condition(a.value < b.value); }
  friend Condition operator>(const Dual& a, const Dual& b) { return Condition(a.value > b.value); }
  friend Condition operator<=(const Dual& a, const Dual& b) {
    return Condition(a.value <= b.value);
  }
  friend Condition operator>=(const Dual& a, const Dual& b) {
    return Condition(a.value >= b.value);
  }
  friend Dual select(Condition condition, const Dual& a, const Dual& b) {
    return condition.holds() ? a : b;
  }

  friend double value_of(const Dual& x) { return x.value; }

  friend Dual exp(const Dual& x) {
    const double e = std::exp(x.value);
    return chain(x, e, e);
  }
  friend Dual expm1(const Dual& x) { return chain(x, std::expm1(x.value), std::exp(x.value)); }
  friend Dual log(const Dual& x) { return chain(x, std::log(x.value), 1.0 / x.value); }
  friend Dual log1p(const Dual& x) { return chain(x, std::log1p(x.value), 1.0 / (1.0 + x.value)); }
  friend Dual sqrt(const Dual& x) {
    const double root = std::sqrt(x.value);
    return chain(x, root, 0.5 / root);
  }
  friend Dual sin(const Dual& x) { return chain(x, std::sin(x.value), std::cos(x.value)); }
  friend Dual cos(const Dual& x) { return chain(x, std::cos(x.value), -std::sin(x.value)); }
  friend Dual atan(const Dual& x) {
    return chain(x, std::atan(x.value), 1.0 / (1.0 + x.value * x.value));
  }
  friend Dual tanh(const Dual& x) {
    const double t = std::tanh(x.value);
    return chain(x, t, 1.0 - t * t);
  }
  /// The derivative at 0 is set to 0.
  friend Dual abs(const Dual& x) {
    return chain(x, std::abs(x.value), x.value > 0.0 ? 1.0 : x.value < 0.0 ? -1.0 : 0.0);
  }
  friend Dual pow(const Dual& x, double power) {
    return chain(x, std::pow(x.value, power), power * std::pow(x.value, power - 1.0));
  }
  /// x > 0.
  friend Dual pow(const Dual& x, const Dual& power) { return exp(power * log(x)); }
  friend Dual pow(double x, const Dual& power) { return exp(power * std::log(x)); }
  friend Dual square(const Dual& x) { return chain(x, x.value * x.value, 2.0 * x.value); }
  friend Dual log_gamma(const Dual& x) {
    return chain(x, mixwell::log_gamma(x.value), mixwell::digamma(x.value));
  }
  friend Dual inv_logit(const Dual& x) {
    const double p = mixwell::inv_logit(x.value);
    return chain(x, p, p * (1.0 - p));
  }
  friend Dual logit(const Dual& p) {
    return chain(p, mixwell::logit(p.value), 1.0 / (p.value * (1.0 - p.value)));
  }
  friend Dual log1p_exp(const Dual& x) {
    const double e = std::exp(-std::abs(x.value));
    return chain(x, std::max(x.value, 0.0) + detail::log1p_of(e),
                 (x.value > 0.0 ? 1.0 : e) / (1.0 + e));
  }
  friend Dual log_inv_logit(const Dual& x) {
    const double e = std::exp(-std::abs(x.value));
    return chain(x, std::min(x.value, 0.0) - detail::log1p_of(e),
                 (x.value > 0.0 ? e : 1.0) / (1.0 + e));
  }
  friend Dual log1m_inv_logit(const Dual& x) {
    const double e = std::exp(-std::abs(x.value));
    return chain(x, -std::max(x.value, 0.0) - detail::log1p_of(e),
                 -(x.value > 0.0 ? 1.0 : e) / (1.0 + e));
  }
  friend Dual log1m(const Dual& x) {
    return chain(x, std::log1p(-x.value), -1.0 / (1.0 - x.value));
  }
  friend Dual log_sum_exp(const Dual& a, const Dual& b) {
    const double all = mixwell::log_sum_exp(a.value, b.value);
    return {all, std::exp(a.value - all) * a.slopes + std::exp(b.value - all) * b.slopes};
  }
  friend Dual Phi(const Dual& x) {
    constexpr double root_two_pi = 2.50662827463100050242;
    return chain(x, mixwell::Phi(x.value), std::exp(-0.5 * x.value * x.value) / root_two_pi);
  }
};

template <class T>
inline constexpr bool has_derivatives = false;
template <Index directions>
inline constexpr bool has_derivatives<Dual<directions>> = true;

/// A double, an integer, or a number with derivatives (a Dual or a TapeNumber).
template <class T>
concept Number = std::is_arithmetic_v<T> || has_derivatives<T>;

}  // namespace mixwell
