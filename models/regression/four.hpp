// Four doubles at once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

namespace mixwell::regression {

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

}  // namespace mixwell::regression
