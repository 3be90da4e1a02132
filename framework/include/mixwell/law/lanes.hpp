// Arithmetic on four numbers in parallel, including exp, for models that sum over many cases.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/types.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace mixwell::lanes {

/// Four doubles. Operators act on each element, and comparisons give masks for `?:` (an extension
/// of GCC and Clang). Without AVX, the compiler uses two registers.
using Four = double __attribute__((vector_size(32)));

inline Four load(const double* from) {
  Four x;
  std::memcpy(&x, from, sizeof x);
  return x;
}
inline void store(double* to, Four x) { std::memcpy(to, &x, sizeof x); }
inline Four broadcast(double x) { return Four{x, x, x, x}; }
inline double sum(Four x) { return (x[0] + x[2]) + (x[1] + x[3]); }

/// bits() reinterprets the bits of doubles as integers, and from_bits() does the opposite.
using Bits = std::uint64_t __attribute__((vector_size(32)));
inline Bits bits(Four x) { return reinterpret_cast<Bits>(x); }
inline Four from_bits(Bits x) { return reinterpret_cast<Four>(x); }

/// Computes c[0] + c[1] x + ... by Horner's rule.
template <std::size_t n>
Four polynomial(const double (&c)[n], Four x) {
  Four value = broadcast(c[n - 1]);
#pragma GCC unroll 16
  for (std::size_t i = n - 1; i > 0; --i) value = value * x + c[i - 1];
  return value;
}

/// Computes exp(x) for x <= 0 with an error below 1.06 units in the last place. The result is 0 for
/// x < -708, where exp(x) is close to the smallest normal number. NaN stays NaN. Uses exp(x) = 2^k
/// exp(r) with |r| <= log(2) / 2, and exp(r) = 1 + r + r^2 q(r). The polynomial q interpolates
/// (exp(r) - 1 - r) / r^2 at Chebyshev nodes (relative error 2e-17). The even and odd terms of q
/// form two short dependency chains.
inline Four exp_of_negative(Four x) {
  // Adding 1.5 * 2^52 rounds a number to an integer, which is then in the lowest bits of the sum.
  // 1023 is the exponent bias.
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

}  // namespace mixwell::lanes
