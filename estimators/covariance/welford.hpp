// Running means and sums of squares of the positions in one window.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

namespace mixwell::covariance {

/// Calls `absorb(j, k)` for every column k of theta, j being the register's column that sees it:
/// its own, or the shared one, in the order of k.
template <class Absorb>
void each_position(ConstBatch state, ConstBatch theta, const Absorb& absorb) {
  for (Index k = 0; k < theta.cols(); ++k) absorb(state.cols() == theta.cols() ? k : Index{0}, k);
}

/// Stan's shrinkage of an estimate from n draws, towards 0.001 I with the weight of 5 draws: it
/// keeps the estimate positive definite however few draws there were.
struct Shrinkage {
  explicit Shrinkage(double n) : keep(n / (n + 5.0)), add(1e-3 * 5.0 / (n + 5.0)) {}
  double keep;
  double add;
};

}  // namespace mixwell::covariance
