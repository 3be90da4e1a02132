// Computes U and its gradient from a function of one position at a time, and from single terms.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/model.hpp>

namespace mixwell::by_column {

/// Adds a part of U to the values that are already there. part(x, g, r) returns u of column r
/// at x and adds its gradient to g. g is null if no gradient is wanted.
template <class Part>
void add(ConstBatch theta, const Evaluation& out, const Part& part) {
  Batch g = out.gradient;
  for (Index r = 0; r < theta.cols(); ++r) {
    double* const to = out.wants_gradient() ? g.col(r).data() : nullptr;
    const double u = part(theta.col(r).data(), to, r);
    if (out.wants_potential()) out.u()(r) += u;
  }
}

/// The same, starting from zero.
template <class Part>
void set(ConstBatch theta, const Evaluation& out, const Part& part) {
  Batch g = out.gradient;
  if (out.wants_gradient()) g.setZero();
  if (out.wants_potential()) out.u().setZero();
  add(theta, out, part);
}

/// Sums the terms number(0) .. number(count - 1) at x, and adds their gradients to g unless g is
/// null. `Terms` has term(x, n), and add_term(x, n, g), which also adds the gradient to g.
template <class Terms, class Number>
double sum(const Terms& terms, const double* x, double* g, Index count, const Number& number) {
  double u = 0.0;
  for (Index k = 0; k < count; ++k) {
    const Index n = number(k);
    u += g != nullptr ? terms.add_term(x, n, g) : terms.term(x, n);
  }
  return u;
}

/// Implements SumOfTerms::evaluate_terms for a `Terms`.
template <class Terms>
void evaluate_terms(const Terms& terms, ConstBatch theta, ConstBatch indices,
                    const Evaluation& out) {
  set(theta, out, [&](const double* x, double* g, Index r) {
    return sum(terms, x, g, indices.rows(),
               [&](Index k) { return static_cast<Index>(indices(k, r)); });
  });
}

/// Adds all terms to the values that are already there.
template <class Terms>
void add_all_terms(const Terms& terms, Index count, ConstBatch theta, const Evaluation& out) {
  add(theta, out, [&](const double* x, double* g, Index) {
    return sum(terms, x, g, count, [](Index n) { return n; });
  });
}

}  // namespace mixwell::by_column
