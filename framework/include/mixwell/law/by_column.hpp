// U and its gradient from a function of one position at a time, and from terms one by one. For
// models of any author. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/model.hpp>

namespace mixwell::by_column {

/// Adds a part of U to what is there. part(x, g, r) is u of column r, at x; it adds its gradient to
/// g, which is null where none is wanted.
template <class Part>
void add(ConstBatch theta, const Evaluation& out, const Part& part) {
  Batch g = out.gradient;
  for (Index r = 0; r < theta.cols(); ++r) {
    double* const to = out.wants_gradient() ? g.col(r).data() : nullptr;
    const double u = part(theta.col(r).data(), to, r);
    if (out.wants_potential()) out.u()(r) += u;
  }
}

/// The same with nothing there before.
template <class Part>
void set(ConstBatch theta, const Evaluation& out, const Part& part) {
  Batch g = out.gradient;
  if (out.wants_gradient()) g.setZero();
  if (out.wants_potential()) out.u().setZero();
  add(theta, out, part);
}

/// Terms number(0) .. number(count - 1) at x, their gradients added to g unless that is null.
/// `Terms` has term(x, n), and add_term(x, n, g), which is the same and adds the gradient to g.
template <class Terms, class Number>
double sum(const Terms& terms, const double* x, double* g, Index count, const Number& number) {
  double u = 0.0;
  for (Index k = 0; k < count; ++k) {
    const Index n = number(k);
    u += g != nullptr ? terms.add_term(x, n, g) : terms.term(x, n);
  }
  return u;
}

/// SumOfTerms::evaluate_terms of such terms.
template <class Terms>
void evaluate_terms(const Terms& terms, ConstBatch theta, ConstBatch indices,
                    const Evaluation& out) {
  set(theta, out, [&](const double* x, double* g, Index r) {
    return sum(terms, x, g, indices.rows(),
               [&](Index k) { return static_cast<Index>(indices(k, r)); });
  });
}

/// Adds all of them to what is there.
template <class Terms>
void add_all_terms(const Terms& terms, Index count, ConstBatch theta, const Evaluation& out) {
  add(theta, out, [&](const double* x, double* g, Index) {
    return sum(terms, x, g, count, [](Index n) { return n; });
  });
}

}  // namespace mixwell::by_column
