// Softplus and its derivative for many numbers at once, stable for all of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../regression/panels.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>
#include <cstdint>

namespace mixwell::logistic {

using regression::broadcast;
using regression::Four;
using regression::load;
using regression::store;
using regression::sum;

/// The same bits as integers, and back.
using Bits = std::uint64_t __attribute__((vector_size(32)));
inline Bits bits(Four x) { return reinterpret_cast<Bits>(x); }
inline Four from_bits(Bits x) { return reinterpret_cast<Four>(x); }

/// c[0] + c[1] x + ... by Horner's rule.
template <std::size_t n>
Four polynomial(const double (&c)[n], Four x) {
  Four value = broadcast(c[n - 1]);
#pragma GCC unroll 16
  for (std::size_t i = n - 1; i > 0; --i) value = value * x + c[i - 1];
  return value;
}

/// exp(x) for x <= 0, to 1.06 units in the last place; 0 for x < -708, near the least normal
/// number. NaN stays NaN. exp(x) = 2^k exp(r) with |r| <= log(2) / 2, and exp(r) = 1 + r + r^2
/// q(r), q interpolating at the Chebyshev nodes of its degree (relative error 2e-17); its even and
/// odd terms are two short chains.
inline Four exp_of_negative(Four x) {
  // Adding 1.5 * 2^52 rounds to an integer in the lowest bits; 1023 is the bias of an exponent.
  const Four rounder = broadcast(0x1.8p52 + 1023);
  const Four rounded = rounder + x * 0x1.71547652b82fep0;
  const Four k = rounded - rounder;
  const Four r = (x - k * 0x1.62e42fefp-1) - k * 0x1.473de6af278edp-34;
  const Four square = r * r;
  const Four even = polynomial({0x1.0000000000001p-1, 0x1.5555555553d68p-5, 0x1.6c16c17889ef1p-10,
                                0x1.a019b9149a41cp-16, 0x1.28917c89a43a7p-22},
                               square);
  const Four odd = polynomial({0x1.5555555555556p-3, 0x1.11111111109b5p-7, 0x1.a01a01a7c2efep-13,
                               0x1.71de0db2f6b19p-19, 0x1.af389ecfc4b9cp-26},
                              square);
  const Four power = from_bits(bits(rounded) << 52);
  const Four value = power + power * (r + square * (even + r * odd));
  return from_bits(bits(value) & ~reinterpret_cast<Bits>(x < -708.0));
}

/// softplus(-z) = log(1 + exp(-z)) summed as `hinges` + log(1 + product), with softplus(-z) =
/// max(-z, 0) + log(1 + e), e = exp(-|z|), and `product` + 1 that of the factors 1 + e: one
/// logarithm for many, and small sums keep their relative accuracy.
class SoftplusSum {
 public:
  /// Makes room for `count` terms (at most 2000), before they are added.
  void expect(Index count) {
    if (terms_ + count > most_terms) close();
    terms_ += count;
  }
  void add(Four hinge, Four e) {
    hinges_ += hinge;
    product_ += e * (1.0 + product_);
  }
  double total() const { return closed_ + sum(hinges_) + logarithm(); }

 private:
  static constexpr Index most_terms = 2000;  // the product stays below 2^1000

  static double joined(double a, double b) { return a + b * (1.0 + a); }
  double logarithm() const {
    return std::log1p(joined(product_[0], product_[2])) +
           std::log1p(joined(product_[1], product_[3]));
  }
  void close() {
    closed_ += logarithm();
    product_ = Four{};
    terms_ = 0;
  }

  Four hinges_{};
  Four product_{};
  double closed_ = 0.0;
  Index terms_ = 0;
};

/// z[n] -> 1 / (1 + exp(z[n])) for n < count, a multiple of 4; if wanted, softplus(-z[n]) is added
/// to `value`. z = +inf has weight 0 and softplus 0. Masks instead of `?:`, which takes three
/// instructions.
template <bool wants_value>
void to_weights(double* z, Index count, SoftplusSum& value) {
  const Bits sign = bits(broadcast(-0.0));
  SoftplusSum sum = value;  // in registers
  if constexpr (wants_value) sum.expect(count);
  for (Index n = 0; n < count; n += 4) {
    const Four x = load(z + n);
    const Bits below = reinterpret_cast<Bits>(x <= 0.0);
    const Four e = exp_of_negative(from_bits(bits(x) | sign));
    const Four one_below = from_bits(bits(broadcast(1.0)) & below);
    store(z + n, (one_below > e ? one_below : e) / (1.0 + e));
    if constexpr (wants_value) sum.add(from_bits(bits(x) & below & ~sign), e);
  }
  if constexpr (wants_value) value = sum;
}

}  // namespace mixwell::logistic
