// Inner products over all rows, wherever they are.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "update.hpp"

#include <mixwell/plugin.hpp>

namespace mixwell::quasi_newton {

/// a'b over all rows; `rows` null: they are all here.
template <class A, class B>
double dot(const DividedRows* rows, const A& a, const B& b) {
  return rows == nullptr ? a.dot(b) : rows->dot(a, b);
}

template <class A>
double squared_norm(const DividedRows* rows, const A& a) {
  return rows == nullptr ? a.squaredNorm() : rows->dot(a, a);
}

}  // namespace mixwell::quasi_newton
