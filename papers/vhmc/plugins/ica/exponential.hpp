// exp(-|x|) and tanh(x / 2) of many numbers, four at once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <cstdint>
#include <cstring>

namespace mixwell::ica {

/// Operators act on each of four doubles (an extension of GCC and Clang).
using Four = double __attribute__((vector_size(32)));
using Bits = std::uint64_t __attribute__((vector_size(32)));

/// exp(x) for x <= 0, to 2 units in the last place; 0 for x < -708. NaN stays NaN. exp(x) = 2^k
/// exp(r), |r| <= log(2) / 2, with 13 powers of the series of exp(r).
inline Four exp_of_negative(Four x) {
  // Adding 1.5 * 2^52 rounds to an integer in the lowest bits; 1023 is the bias of an exponent.
  const Four rounder = Four{} + (0x1.8p52 + 1023);
  const Four rounded = rounder + x * 0x1.71547652b82fep0;
  const Four k = rounded - rounder;
  const Four r = (x - k * 0x1.62e42fefp-1) - k * 0x1.473de6af278edp-34;
  constexpr double inverse_factorials[] = {1.0,
                                           1.0,
                                           1.0 / 2,
                                           1.0 / 6,
                                           1.0 / 24,
                                           1.0 / 120,
                                           1.0 / 720,
                                           1.0 / 5040,
                                           1.0 / 40320,
                                           1.0 / 362880,
                                           1.0 / 3628800,
                                           1.0 / 39916800,
                                           1.0 / 479001600};
  Four value = Four{} + 1.0 / 6227020800;
#pragma GCC unroll 16
  for (int n = 12; n >= 0; --n) value = value * r + inverse_factorials[n];
  const Four power = reinterpret_cast<Four>(reinterpret_cast<Bits>(rounded) << 52);
  return reinterpret_cast<Four>(reinterpret_cast<Bits>(power * value) &
                                ~reinterpret_cast<Bits>(x < -708.0));
}

/// s[k] -> tanh(s[k] / 2) and e[k] = exp(-|s[k]|), for k < count, a multiple of 4.
inline void to_slopes(double* s, double* e, Index count) {
  const Bits sign = Bits{} + (std::uint64_t{1} << 63);
  for (Index k = 0; k < count; k += 4) {
    Four x;
    std::memcpy(&x, s + k, sizeof x);
    const Four small = exp_of_negative(reinterpret_cast<Four>(reinterpret_cast<Bits>(x) | sign));
    const Four size = (1.0 - small) / (1.0 + small);
    const Four slope =
        reinterpret_cast<Four>(reinterpret_cast<Bits>(size) | (reinterpret_cast<Bits>(x) & sign));
    std::memcpy(e + k, &small, sizeof small);
    std::memcpy(s + k, &slope, sizeof slope);
  }
}

}  // namespace mixwell::ica
