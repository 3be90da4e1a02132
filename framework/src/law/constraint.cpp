// Constraints: their names in messages, the shapes they need, and their numbers of coordinates.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/base/error.hpp>
#include <mixwell/law/constraint.hpp>

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <numeric>

namespace mixwell {
namespace {

void require_finite(const char* what, double bound) {
  if (!std::isfinite(bound))
    throw InputError(
        fmt::format("the {} bound of a constraint must be finite (got {}). Leave this bound out if "
                    "the values are unbounded on this side",
                    what, bound));
}

Index product(const std::vector<Index>& shape, std::size_t count) {
  return std::accumulate(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(count),
                         Index{1}, std::multiplies<>());
}

bool is_of_matrices(Constraint::Form form) {
  return form == Constraint::Form::cholesky_correlation ||
         form == Constraint::Form::cholesky_covariance;
}

/// The number of coordinates of one vector of K elements.
Index coordinates_of_list(Constraint::Form form, Index K) {
  return form == Constraint::Form::simplex ? K - 1 : K;
}
/// The number of coordinates of one M x N matrix.
Index coordinates_of_matrix(Constraint::Form form, Index M, Index N) {
  if (form == Constraint::Form::cholesky_correlation) return N * (N - 1) / 2;
  return N * (N + 1) / 2 + (M - N) * N;
}

}  // namespace

Constraint Constraint::lower(double bound) {
  require_finite("lower", bound);
  return Constraint(Form::lower, bound);
}

Constraint Constraint::upper(double bound) {
  require_finite("upper", bound);
  return Constraint(Form::upper, 0.0, bound);
}

Constraint Constraint::interval(double low, double high) {
  require_finite("lower", low);
  require_finite("upper", high);
  if (!(low < high))
    throw InputError(
        fmt::format("the interval of a constraint is ({}, {}), but its lower end must be below its "
                    "upper end. Correct the two ends",
                    low, high));
  return Constraint(Form::interval, low, high);
}

std::string Constraint::text() const {
  switch (form_) {
    case Form::none:
      return "none";
    case Form::absolute:
      return "absolute";
    case Form::lower:
      return fmt::format("lower = {}", low_);
    case Form::upper:
      return fmt::format("upper = {}", high_);
    case Form::interval:
      return fmt::format("lower = {}, upper = {}", low_, high_);
    case Form::simplex:
      return "simplex";
    case Form::ordered:
      return "ordered";
    case Form::positive_ordered:
      return "positive ordered";
    case Form::unit_vector:
      return "unit vector";
    case Form::cholesky_correlation:
      return "Cholesky factor of a correlation";
    case Form::cholesky_covariance:
      return "Cholesky factor of a covariance";
  }
  return "";
}

std::string Constraint::broken_shape_rule(const std::vector<Index>& shape) const {
  if (is_of_numbers()) return {};
  if (!is_of_matrices(form_)) {
    if (shape.empty() || shape.back() < 2)
      return text() + " needs a shape whose last length, the length of each vector, is at least 2";
    return {};
  }
  if (shape.size() < 2)
    return text() +
           " needs a shape with at least two dimensions, for the rows and columns of the matrix";
  const Index M = shape[shape.size() - 2];
  const Index N = shape.back();
  if (form_ == Form::cholesky_correlation && (M != N || N < 2))
    return text() + " needs a shape whose last two lengths are equal and at least 2";
  if (M < N)
    return text() +
           " needs a shape that ends in (rows, columns), with at least as many rows as columns";
  return {};
}

Index Constraint::coordinates(const std::vector<Index>& shape) const noexcept {
  if (is_of_numbers()) return product(shape, shape.size());
  const std::size_t own = is_of_matrices(form_) ? 2 : 1;
  const Index copies = product(shape, shape.size() - own);
  if (own == 1) return copies * coordinates_of_list(form_, shape.back());
  return copies * coordinates_of_matrix(form_, shape[shape.size() - 2], shape.back());
}

}  // namespace mixwell
