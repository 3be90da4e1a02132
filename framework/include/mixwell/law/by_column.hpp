// Computes U and its gradient for a batch, one column at a time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/model.hpp>

namespace mixwell::by_column {

/// Adds one part of U, and its gradient, to the values in `out`. part(x, g, r) returns this part at
/// x, which is column r of theta, and adds the gradient of the part to g. g is null if the caller
/// wants no gradient.
template <class Part>
void add(ConstBatch theta, const Evaluation& out, const Part& part) {
  Batch g = out.gradient;
  for (Index r = 0; r < theta.cols(); ++r) {
    double* const to = out.wants_gradient() ? g.col(r).data() : nullptr;
    const double u = part(theta.col(r).data(), to, r);
    if (out.wants_potential()) out.u()(r) += u;
  }
}

/// Sets the values in `out` to zero, then calls add().
template <class Part>
void set(ConstBatch theta, const Evaluation& out, const Part& part) {
  Batch g = out.gradient;
  if (out.wants_gradient()) g.setZero();
  if (out.wants_potential()) out.u().setZero();
  add(theta, out, part);
}

/// Returns the sum of term n at x over n = number(0), ..., number(count - 1). Adds the gradient of
/// this sum to g unless g is null. term(x, n) of `Terms` returns term n. add_term(x, n, g) also
/// adds the gradient of the term to g.
template <class Terms, class Number>
double sum(const Terms& terms, const double* x, double* g, Index count, const Number& number) {
  double u = 0.0;
  for (Index k = 0; k < count; ++k) {
    const Index n = number(k);
    u += g != nullptr ? terms.add_term(x, n, g) : terms.term(x, n);
  }
  return u;
}

/// Implements SumOfTerms::evaluate_terms with the functions of `Terms`.
template <class Terms>
void evaluate_terms(const Terms& terms, ConstBatch theta, ConstBatch indices,
                    const Evaluation& out) {
  set(theta, out, [&](const double* x, double* g, Index r) {
    return sum(terms, x, g, indices.rows(),
               [&](Index k) { return static_cast<Index>(indices(k, r)); });
  });
}

/// Adds all `count` terms, and their gradients, to the values in `out`.
template <class Terms>
void add_all_terms(const Terms& terms, Index count, ConstBatch theta, const Evaluation& out) {
  add(theta, out, [&](const double* x, double* g, Index) {
    return sum(terms, x, g, count, [](Index n) { return n; });
  });
}

}  // namespace mixwell::by_column
