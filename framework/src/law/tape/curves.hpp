// Functions of one variable and their derivatives f' and f'', evaluated on all lanes together.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/density/dual.hpp>
#include <mixwell/density/special.hpp>
#include <mixwell/detail/tape/number.hpp>

#include <Eigen/Core>

#include <limits>

namespace mixwell::tape {

/// f(x), f'(x) and, if `second`, f''(x).
template <class Lanes>
struct Curve {
  Lanes value;
  Lanes slope;
  Lanes bend;
};

/// Eigen's own exp() stops at the largest finite number.
template <class Lanes>
Lanes exponential(const Lanes& x) {
  return (x > 709.78271289338397).select(std::numeric_limits<double>::infinity() + x, x.exp());
}

/// log(1 + e^x), with slope 1 / (1 + e^-x). log(1 + e) is corrected for the rounding of 1 + e.
template <bool second, class Lanes>
void softplus(const Lanes& x, Curve<Lanes>& at) {
  const Lanes e = (-x.abs()).exp();
  const Lanes u = 1.0 + e;
  const Lanes inverse = 1.0 / u;
  at.value = x.max(0.0) + (u.log() + (e - (u - 1.0)) * inverse);
  at.slope = (x > 0.0).select(inverse, e * inverse);
  if constexpr (second) at.bend = e * inverse.square();
}

template <class Lanes, class Function>
Lanes one_by_one(const Lanes& x, const Function& f) {
  return x.unaryExpr(f);
}

/// Evaluates an operation on one number.
template <bool second, class Lanes>
void evaluate_curve(TapeOperation operation, const Lanes& x, Curve<Lanes>& at) {
  switch (operation) {
    case TapeOperation::exp:
      at.value = at.slope = at.bend = exponential(x);
      return;
    case TapeOperation::expm1:
      at.value = one_by_one(x, [](double one) { return std::expm1(one); });
      at.slope = at.bend = exponential(x);
      return;
    case TapeOperation::log:
      at.value = x.log();
      at.slope = 1.0 / x;
      if constexpr (second) at.bend = -at.slope.square();
      return;
    case TapeOperation::log1p:
      at.value = one_by_one(x, [](double one) { return std::log1p(one); });
      at.slope = 1.0 / (1.0 + x);
      if constexpr (second) at.bend = -at.slope.square();
      return;
    case TapeOperation::sqrt:
      at.value = x.sqrt();
      at.slope = 0.5 / at.value;
      if constexpr (second) at.bend = -0.5 * at.slope / x;
      return;
    case TapeOperation::sin:
      at.value = one_by_one(x, [](double one) { return std::sin(one); });
      at.slope = one_by_one(x, [](double one) { return std::cos(one); });
      at.bend = -at.value;
      return;
    case TapeOperation::cos:
      at.value = one_by_one(x, [](double one) { return std::cos(one); });
      at.slope = one_by_one(x, [](double one) { return -std::sin(one); });
      at.bend = -at.value;
      return;
    case TapeOperation::atan:
      at.value = one_by_one(x, [](double one) { return std::atan(one); });
      at.slope = 1.0 / (1.0 + x.square());
      if constexpr (second) at.bend = -2.0 * x * at.slope.square();
      return;
    case TapeOperation::tanh:
      at.value = one_by_one(x, [](double one) { return std::tanh(one); });
      at.slope = 1.0 - at.value.square();
      if constexpr (second) at.bend = -2.0 * at.value * at.slope;
      return;
    case TapeOperation::abs:
      at.value = x.abs();
      at.slope = x.sign();
      if constexpr (second) at.bend.setZero();
      return;
    case TapeOperation::inv_logit:
      at.value = 1.0 / (1.0 + exponential(Lanes(-x)));
      at.slope = at.value * (1.0 - at.value);
      if constexpr (second) at.bend = at.slope * (1.0 - 2.0 * at.value);
      return;
    case TapeOperation::log1p_exp:
      return softplus<second>(x, at);
    case TapeOperation::log_inv_logit:
      softplus<second>(Lanes(-x), at);
      at.value = -at.value;
      if constexpr (second) at.bend = -at.bend;
      return;
    case TapeOperation::log1m_inv_logit:
      softplus<second>(x, at);
      at.value = -at.value;
      at.slope = -at.slope;
      if constexpr (second) at.bend = -at.bend;
      return;
    case TapeOperation::log_gamma:
      at.value = one_by_one(x, [](double one) { return log_gamma(one); });
      at.slope = one_by_one(x, [](double one) { return digamma(one); });
      if constexpr (second) at.bend = one_by_one(x, [](double one) { return trigamma(one); });
      return;
    case TapeOperation::Phi:
      at.value = one_by_one(x, [](double one) { return Phi(one); });
      at.slope = 0.39894228040143267794 * exponential(Lanes(-0.5 * x.square()));
      if constexpr (second) at.bend = -x * at.slope;
      return;
    default:
      return;
  }
}

/// x^p with a constant p.
template <bool second, class Lanes>
void evaluate_power(const Lanes& x, const Lanes& power, Curve<Lanes>& at) {
  for (Index l = 0; l < x.size(); ++l) {
    at.value[l] = std::pow(x[l], power[l]);
    at.slope[l] = power[l] * std::pow(x[l], power[l] - 1.0);
    if constexpr (second) at.bend[l] = power[l] * (power[l] - 1.0) * std::pow(x[l], power[l] - 2.0);
  }
}

}  // namespace mixwell::tape
