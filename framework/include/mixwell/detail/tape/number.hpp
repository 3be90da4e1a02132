// Numbers that record on a tape how they are computed from the values of a model's parameters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/types.hpp>
#include <mixwell/density/dual.hpp>

#include <cmath>
#include <cstdint>

namespace mixwell {

/// The function that a node of a tape computes from up to three other nodes.
enum class TapeOperation : std::int32_t {
  value,     ///< of a parameter
  constant,  ///< a number that may differ from case to case
  dot,       ///< sum_i c_i x_i with constants c_i and consecutive values x_i
  add,
  subtract,
  multiply,
  divide,
  power,  ///< a^b with a constant b
  log_sum_exp,
  less,        ///< 1 if a < b, else 0
  less_equal,  ///< 1 if a <= b, else 0
  select,      ///< b if a is not 0, else c
  exp,
  expm1,
  log,
  log1p,
  sqrt,
  sin,
  cos,
  atan,
  tanh,
  abs,
  inv_logit,
  log1p_exp,
  log_inv_logit,
  log1m_inv_logit,
  log_gamma,
  Phi,
};

class TapeNumber;

namespace detail {

/// Each function appends a node to the tape that this thread is writing (TapeMaker), and returns
/// the new node.
MIXWELL_EXPORT std::int32_t write_operation(TapeOperation operation, const TapeNumber& a,
                                            const TapeNumber& b, const TapeNumber& c);
MIXWELL_EXPORT std::int32_t write_value(Index row);
/// Appends the dot product of `constants` and as many consecutive values, the first in row `row`.
MIXWELL_EXPORT std::int32_t write_dot(const Eigen::VectorXd& constants, Index row);

}  // namespace detail

/// Result of a comparison of recorded numbers. Use it only in select().
class TapeCondition;

/// A constant, or a node of the tape that a TapeMaker is writing, with its value at the current
/// point. Functions have their usual names.
class TapeNumber {
 public:
  TapeNumber(double number = 0.0) : number_(number) {}
  static TapeNumber of_value(Index row, double number) {
    return {number, detail::write_value(row)};
  }
  static TapeNumber of_dot(const Eigen::VectorXd& constants, Index row, double number) {
    return {number, detail::write_dot(constants, row)};
  }

  bool is_constant() const noexcept { return node_ < 0; }
  std::int32_t node() const noexcept { return node_; }
  double number() const noexcept { return number_; }

  TapeNumber& operator+=(const TapeNumber& b) { return *this = *this + b; }
  TapeNumber& operator-=(const TapeNumber& b) { return *this = *this - b; }
  TapeNumber& operator*=(const TapeNumber& b) { return *this = *this * b; }
  TapeNumber& operator/=(const TapeNumber& b) { return *this = *this / b; }

  friend TapeNumber operator+(const TapeNumber& a, const TapeNumber& b) {
    if (a.is(0.0)) return b;
    if (b.is(0.0)) return a;
    return written(TapeOperation::add, a.number_ + b.number_, a, b);
  }
  friend TapeNumber operator-(const TapeNumber& a, const TapeNumber& b) {
    if (b.is(0.0)) return a;
    return written(TapeOperation::subtract, a.number_ - b.number_, a, b);
  }
  friend TapeNumber operator-(const TapeNumber& a) { return 0.0 - a; }
  friend TapeNumber operator*(const TapeNumber& a, const TapeNumber& b) {
    if (a.is(1.0)) return b;
    if (b.is(1.0)) return a;
    return written(TapeOperation::multiply, a.number_ * b.number_, a, b);
  }
  friend TapeNumber operator/(const TapeNumber& a, const TapeNumber& b) {
    if (b.is_constant()) return a * (1.0 / b.number_);
    return written(TapeOperation::divide, a.number_ / b.number_, a, b);
  }
  friend TapeCondition operator<(const TapeNumber& a, const TapeNumber& b);
  friend TapeCondition operator>(const TapeNumber& a, const TapeNumber& b);
  friend TapeCondition operator<=(const TapeNumber& a, const TapeNumber& b);
  friend TapeCondition operator>=(const TapeNumber& a, const TapeNumber& b);
  friend TapeNumber select(const TapeCondition& holds, const TapeNumber& a, const TapeNumber& b);

  /// The value at the current point only. Anything computed from it is a constant of the tape.
  friend double value_of(const TapeNumber& x) { return x.number_; }

  friend TapeNumber square(const TapeNumber& x) { return x * x; }
  friend TapeNumber exp(const TapeNumber& x) {
    return written(TapeOperation::exp, std::exp(x.number_), x);
  }
  friend TapeNumber expm1(const TapeNumber& x) {
    return written(TapeOperation::expm1, std::expm1(x.number_), x);
  }
  friend TapeNumber log(const TapeNumber& x) {
    return written(TapeOperation::log, std::log(x.number_), x);
  }
  friend TapeNumber log1p(const TapeNumber& x) {
    return written(TapeOperation::log1p, std::log1p(x.number_), x);
  }
  friend TapeNumber log1m(const TapeNumber& x) { return log1p(-x); }
  friend TapeNumber sqrt(const TapeNumber& x) {
    return written(TapeOperation::sqrt, std::sqrt(x.number_), x);
  }
  friend TapeNumber sin(const TapeNumber& x) {
    return written(TapeOperation::sin, std::sin(x.number_), x);
  }
  friend TapeNumber cos(const TapeNumber& x) {
    return written(TapeOperation::cos, std::cos(x.number_), x);
  }
  friend TapeNumber atan(const TapeNumber& x) {
    return written(TapeOperation::atan, std::atan(x.number_), x);
  }
  friend TapeNumber tanh(const TapeNumber& x) {
    return written(TapeOperation::tanh, std::tanh(x.number_), x);
  }
  /// The derivative at 0 is set to 0.
  friend TapeNumber abs(const TapeNumber& x) {
    return written(TapeOperation::abs, std::abs(x.number_), x);
  }
  /// Requires x > 0 if the exponent `power` is not a constant.
  friend TapeNumber pow(const TapeNumber& x, const TapeNumber& power) {
    if (!power.is_constant()) return exp(power * log(x));
    return written(TapeOperation::power, std::pow(x.number_, power.number_), x, power);
  }
  friend TapeNumber log_gamma(const TapeNumber& x) {
    return written(TapeOperation::log_gamma, mixwell::log_gamma(x.number_), x);
  }
  friend TapeNumber inv_logit(const TapeNumber& x) {
    return written(TapeOperation::inv_logit, mixwell::inv_logit(x.number_), x);
  }
  friend TapeNumber logit(const TapeNumber& p) { return log(p) - log1m(p); }
  friend TapeNumber log1p_exp(const TapeNumber& x) {
    return written(TapeOperation::log1p_exp, mixwell::log1p_exp(x.number_), x);
  }
  friend TapeNumber log_inv_logit(const TapeNumber& x) {
    return written(TapeOperation::log_inv_logit, mixwell::log_inv_logit(x.number_), x);
  }
  friend TapeNumber log1m_inv_logit(const TapeNumber& x) {
    return written(TapeOperation::log1m_inv_logit, mixwell::log1m_inv_logit(x.number_), x);
  }
  friend TapeNumber log_sum_exp(const TapeNumber& a, const TapeNumber& b) {
    return written(TapeOperation::log_sum_exp, mixwell::log_sum_exp(a.number_, b.number_), a, b);
  }
  friend TapeNumber Phi(const TapeNumber& x) {
    return written(TapeOperation::Phi, mixwell::Phi(x.number_), x);
  }

 private:
  friend class TapeCondition;
  TapeNumber(double number, std::int32_t node) : number_(number), node_(node) {}

  static TapeNumber written(TapeOperation operation, double number, const TapeNumber& a,
                            const TapeNumber& b = {}, const TapeNumber& c = {}) {
    if (a.is_constant() && b.is_constant() && c.is_constant()) return number;
    return {number, detail::write_operation(operation, a, b, c)};
  }
  bool is(double number) const noexcept { return is_constant() && number_ == number; }

  double number_;
  std::int32_t node_ = -1;
};

class TapeCondition {
 public:
  explicit operator bool() const = delete;  // write select(condition, a, b) instead of `if`

 private:
  friend class TapeNumber;
  friend TapeCondition operator<(const TapeNumber& a, const TapeNumber& b) {
    return {TapeNumber::written(TapeOperation::less, a.number_ < b.number_ ? 1.0 : 0.0, a, b)};
  }
  friend TapeCondition operator>(const TapeNumber& a, const TapeNumber& b) { return b < a; }
  friend TapeCondition operator<=(const TapeNumber& a, const TapeNumber& b) {
    return {
        TapeNumber::written(TapeOperation::less_equal, a.number_ <= b.number_ ? 1.0 : 0.0, a, b)};
  }
  friend TapeCondition operator>=(const TapeNumber& a, const TapeNumber& b) { return b <= a; }
  friend TapeNumber select(const TapeCondition& condition, const TapeNumber& a,
                           const TapeNumber& b) {
    const TapeNumber& holds = condition.holds_;
    if (holds.is_constant()) return holds.number_ != 0.0 ? a : b;
    return TapeNumber::written(TapeOperation::select, holds.number_ != 0.0 ? a.number_ : b.number_,
                               holds, a, b);
  }

  TapeCondition(const TapeNumber& holds) : holds_(holds) {}
  TapeNumber holds_;
};

template <>
inline constexpr bool has_derivatives<TapeNumber> = true;

}  // namespace mixwell
