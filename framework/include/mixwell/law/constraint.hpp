// Constraints on the recorded values of a parameter, and their maps from free coordinates.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/types.hpp>

#include <string>
#include <vector>

namespace mixwell {

/// A set of values x, with a smooth map x = x(y) from free coordinates y. All maps except
/// `absolute` are the maps of Stan (Stan Reference Manual 2.36, chapter "Constraint transforms").
///
/// A bound applies to every element of a parameter. `simplex`, `ordered`, `positive_ordered` and
/// `unit_vector` apply to each vector along the last dimension. `cholesky_correlation` and
/// `cholesky_covariance` apply to each matrix formed by the last two dimensions. The coordinates of
/// a lower triangle are ordered row by row. |J| is computed without the values that the others
/// determine: the last value of a simplex, and the diagonal of the Cholesky factor of a correlation
/// matrix.
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
    positive_ordered,      ///< as `ordered`, but with x_0 = e^(y_0)
    unit_vector,           ///< x = y / |y|, with the factor e^(-|y|^2 / 2) instead of |J|
    cholesky_correlation,  ///< unit rows from tanh(y), positive diagonal, K (K - 1) / 2 coordinates
    cholesky_covariance,   ///< M x N, M >= N, diagonal e^y; N (N + 1) / 2 + (M - N) N
  };

  Constraint() = default;
  static Constraint absolute() { return Constraint(Form::absolute); }
  static Constraint positive() { return lower(0.0); }
  /// These two functions throw InputError if the bound is not finite.
  static Constraint lower(double bound);
  static Constraint upper(double bound);
  /// Throws InputError unless both bounds are finite and low < high.
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
  /// True if each value has its own coordinate and depends on no other coordinate.
  bool is_of_numbers() const noexcept { return form_ <= Form::interval; }

  /// The constraint in words: "lower = 0", "simplex", ..., "none".
  std::string text() const;
  /// Returns "" if a parameter of this shape can have the constraint, otherwise the rule that the
  /// shape breaks.
  std::string broken_shape_rule(const std::vector<Index>& shape) const;
  /// Number of coordinates for this shape. Precondition: the shape is valid (see
  /// broken_shape_rule).
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
