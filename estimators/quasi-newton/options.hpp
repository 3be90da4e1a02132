// Keys that the quasi-Newton estimators have in common.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <optional>

namespace mixwell::quasi_newton {

struct Options {
  std::optional<double> gamma;
  /// For y = A s the cosine s'y / |s||y| is at least 2 sqrt(k) / (1 + k), k being the condition of
  /// A: 1e-6 passes every pair of a quadratic up to k = 4e12, while a pair nearer to orthogonal
  /// would multiply rounding errors of the factors by a million.
  double curvature_test = 1e-6;
  double regularisation = 0.0;
  std::optional<Interval> eigenvalues;
  bool sort = true;

  void declare(Fields& fields) {
    fields.number("gamma", gamma)
        .unit("theta^2")
        .above(0)
        .help(
            "H before the pairs is gamma I; without it s'y / y'y of the newest pair, and 1 without "
            "pairs, with which the first moves may fly off where the target is narrow: give gamma "
            "then");
    fields.number("curvature_test", curvature_test)
        .at_least(0)
        .below(1)
        .help("a pair counts if s'y > curvature_test |s||y|");
    fields.number("regularisation", regularisation)
        .unit("1/theta^2")
        .at_least(0)
        .help(
            "lambda of y + lambda s, taken for y: above -lambda_min of the Hessian every pair of a "
            "small step counts (HAMCMC)");
    fields.interval("eigenvalues", eigenvalues)
        .unit("theta^2")
        .above(0)
        .help(
            "[low, high]: pairs that would take an eigenvalue of H outside are left out; all "
            "eigenvalues stay within, to a relative 1e-9");
    fields.flag("sort", sort)
        .help("pairs are made along descending U, instead of the order of the memory");
  }

  void check() const {
    if (!eigenvalues) return;
    if (eigenvalues->first > eigenvalues->second) {
      throw ParameterError("eigenvalues", "must be [low, high] with low <= high");
    }
    if (gamma && within(*gamma) != *gamma) {
      throw ParameterError("gamma", "must lie within `eigenvalues`");
    }
  }

  double within(double value) const {
    return eigenvalues ? std::clamp(value, eigenvalues->first, eigenvalues->second) : value;
  }
};

}  // namespace mixwell::quasi_newton
