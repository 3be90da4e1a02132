// Softplus and its derivative for many numbers at once, stable for all of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/types.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>

namespace mixwell::logistic {

/// Four doubles: operators act on each, comparisons give masks for `?:` (an extension of GCC and
/// Clang). Without AVX the compiler takes two registers.
using Four = double __attribute__((vector_size(32)));

inline Four load(const double* from) {
  Four x;
  std::memcpy(&x, from, sizeof x);
  return x;
}
inline void store(double* to, Four x) { std::memcpy(to, &x, sizeof x); }
inline Four broadcast(double x) { return Four{x, x, x, x}; }
inline double sum(Four x) { return (x[0] + x[2]) + (x[1] + x[3]); }

/// exp(-a) for a >= 0, to 1.01 units in the last place; 0 where that is below the smallest normal
/// number. NaN stays NaN. exp(-a) = 2^k exp(r) with |r| <= log(2) / 2, and exp(r) = 1 + r + r^2
/// q(r), q interpolating at the Chebyshev nodes of its degree (relative error 2e-17).
inline Four exp_minus(Four a) {
  using Bits = std::uint64_t __attribute__((vector_size(32)));
  const Four largest = broadcast(709.0);  // k = -1023, whose power of two is written as 0 below
  a = a > largest ? largest : a;
  // Adding 1.5 * 2^52 rounds to an integer in the lowest bits; 1023 is the bias of an exponent.
  const Four rounder = broadcast(0x1.8p52 + 1023);
  const Four rounded = rounder - a * 0x1.71547652b82fep0;
  const Four k = rounded - rounder;
  const Four r = (-a - k * 0x1.62e42fefp-1) - k * 0x1.473de6af278edp-34;
  Four q = broadcast(0x1.af389ecfc4b9cp-26);
  for (const double coefficient :
       {0x1.28917c89a43a7p-22, 0x1.71de0db2f6b19p-19, 0x1.a019b9149a41cp-16, 0x1.a01a01a7c2efep-13,
        0x1.6c16c17889ef1p-10, 0x1.11111111109b5p-7, 0x1.5555555553d68p-5, 0x1.5555555555556p-3,
        0x1.0000000000001p-1})
    q = q * r + coefficient;
  Bits power;
  std::memcpy(&power, &rounded, sizeof power);
  power <<= 52;
  Four two_to_k;
  std::memcpy(&two_to_k, &power, sizeof two_to_k);
  return (1.0 + (r + r * r * q)) * two_to_k;
}

/// softplus(-z) = log(1 + exp(-z)) summed as `hinges` + log(1 + product), with softplus(-z) =
/// max(-z, 0) + log(1 + e), e = exp(-|z|), and `product` + 1 that of the factors 1 + e: one
/// logarithm for all, and small sums keep their relative accuracy. For at most 4000 terms.
class SoftplusSum {
 public:
  void add(Four z, Four e) {
    hinges_ += z < 0.0 ? -z : Four{};
    product_ += e * (1.0 + product_);
  }
  double total() const {
    const double even = joined(product_[0], product_[2]);
    const double odd = joined(product_[1], product_[3]);
    return sum(hinges_) + std::log1p(even) + std::log1p(odd);
  }

 private:
  static double joined(double a, double b) { return a + b * (1.0 + a); }

  Four hinges_{};
  Four product_{};
};

/// z[n] -> 1 / (1 + exp(z[n])) for n < count, a multiple of 4; returns sum_n softplus(-z[n]) if
/// wanted, else 0. z = +inf has weight 0 and softplus 0.
template <bool wants_value>
double to_weights(double* z, Index count) {
  SoftplusSum value;
  for (Index n = 0; n < count; n += 4) {
    const Four x = load(z + n);
    const Four e = exp_minus(x < 0.0 ? -x : x);
    const Four larger = 1.0 / (1.0 + e);
    store(z + n, x > 0.0 ? e * larger : larger);
    if constexpr (wants_value) value.add(x, e);
  }
  return wants_value ? value.total() : 0.0;
}

}  // namespace mixwell::logistic
