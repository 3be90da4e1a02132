// Constraints on the recorded values of a parameter, and the maps from free coordinates to values.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/types.hpp>

#include <string>
#include <vector>

namespace mixwell {

/// A set of values x, with a smooth map x = x(y) from free coordinates y. The maps are those of
/// Stan (Stan Reference Manual 2.36, chapter "Constraint transforms"), except `absolute`.
///
/// A bound applies to every number of a parameter. Simplex, ordered, positive ordered and unit
/// vector apply to each list along the last dimension. A Cholesky factor applies to each matrix of
/// the last two dimensions. Coordinates of lower triangles are ordered row by row. |J| omits values
/// that other values determine: the last one of a simplex, and the diagonal of a correlation's
/// factor.
class MIXWELL_EXPORT Constraint {
 public:
  enum class Form {
    none,
    absolute,              ///< x = |y|; U does not depend on the sign
    lower,                 ///< x = a + e^y
    upper,                 ///< x = b - e^y
    interval,              ///< x = a + (b - a) / (1 + e^-y)
    simplex,               ///< x >= 0, sum x = 1: stick breaking, K - 1 coordinates
    ordered,               ///< x_0 = y_0, x_k = x_(k-1) + e^(y_k)
    positive_ordered,      ///< the same with x_0 = e^(y_0)
    unit_vector,           ///< x = y / |y|, with the factor e^(-|y|^2 / 2) instead of |J|
    cholesky_correlation,  ///< rows of length 1 by tanh(y), diagonal positive; K (K - 1) / 2
    cholesky_covariance,   ///< M x N, M >= N, diagonal e^y; N (N + 1) / 2 + (M - N) N
  };

  Constraint() = default;
  static Constraint absolute() { return Constraint(Form::absolute); }
  static Constraint positive() { return lower(0.0); }
  /// These two functions throw InputError if the bound is not finite.
  static Constraint lower(double bound);
  static Constraint upper(double bound);
  /// Throws InputError unless both are finite and low < high.
  static Constraint interval(double low, double high);
  static Constraint simplex() { return Constraint(Form::simplex); }
  static Constraint ordered() { return Constraint(Form::ordered); }
  static Constraint positive_ordered() { return Constraint(Form::positive_ordered); }
  static Constraint unit_vector() { return Constraint(Form::unit_vector); }
  static Constraint cholesky_correlation() { return Constraint(Form::cholesky_correlation); }
  static Constraint cholesky_covariance() { return Constraint(Form::cholesky_covariance); }

  Form form() const noexcept { return form_; }
  /// The lower bound, for `lower` and `interval`.
  double low() const noexcept { return low_; }
  /// The upper bound, for `upper` and `interval`.
  double high() const noexcept { return high_; }
  /// True if each number has its own coordinate and does not depend on the others.
  bool is_of_numbers() const noexcept { return form_ <= Form::interval; }

  /// The constraint in words: "lower = 0", "simplex", ..., "none".
  std::string text() const;
  /// Returns "" if a parameter of this shape can have the constraint, otherwise the rule for the
  /// shape.
  std::string broken_shape_rule(const std::vector<Index>& shape) const;
  /// Number of coordinates for this shape. Precondition: the shape breaks no rule.
  Index coordinates(const std::vector<Index>& shape) const noexcept;

  friend bool operator==(const Constraint&, const Constraint&) = default;

 private:
  explicit Constraint(Form form, double low = 0.0, double high = 0.0)
      : form_(form), low_(low), high_(high) {}

  Form form_ = Form::none;
  double low_ = 0.0;
  double high_ = 0.0;
};

}  // namespace mixwell
