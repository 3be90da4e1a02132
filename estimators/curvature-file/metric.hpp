// A curvature as a file holds it, and whether it is one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <array>
#include <charconv>
#include <cmath>
#include <string>

namespace mixwell::curvature_file {

/// H: d x d, or its diagonal, d x 1.
using Metric = Eigen::MatrixXd;

inline bool is_diagonal(const Metric& metric) { return metric.cols() == 1; }

inline std::string text(double value) {
  std::array<char, 32> buffer{};
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr};
}

/// "row 2, column 3 is -0.5", counted from 1; "coordinate 2 is -0.5" of a diagonal.
inline std::string entry(const Metric& metric, Index i, Index j) {
  const std::string value = " is " + text(metric(i, j));
  if (is_diagonal(metric)) return "coordinate " + std::to_string(i + 1) + value;
  return "row " + std::to_string(i + 1) + ", column " + std::to_string(j + 1) + value;
}

/// Throws InputError for the first number that is not finite; `whose` begins the message.
inline void require_finite(const Metric& metric, const std::string& whose) {
  for (Index j = 0; j < metric.cols(); ++j) {
    for (Index i = 0; i < metric.rows(); ++i) {
      if (std::isfinite(metric(i, j))) continue;
      throw InputError(whose + ": a curvature is finite, but " + entry(metric, i, j) +
                       "; a run that ended before its first draw has recorded none");
    }
  }
}

inline void require_symmetric(const Metric& metric, const std::string& path) {
  for (Index j = 0; j < metric.cols(); ++j) {
    for (Index i = 0; i < j; ++i) {
      const double scale = std::max(std::abs(metric(i, j)), std::abs(metric(j, i)));
      if (std::abs(metric(i, j) - metric(j, i)) <= 1e-12 * scale) continue;
      throw InputError(path + ": a curvature is symmetric, but " + entry(metric, i, j) + " and " +
                       entry(metric, j, i));
    }
  }
}

inline void require_positive_diagonal(const Metric& metric, const std::string& path) {
  for (Index i = 0; i < metric.rows(); ++i) {
    const Index j = is_diagonal(metric) ? 0 : i;
    if (metric(i, j) > 0.0) continue;
    throw InputError(path + ": a curvature is positive definite, but " + entry(metric, i, j) +
                     ", which must be above 0");
  }
}

/// What is left of H_ii when the rows before it are eliminated is positive in every row, by more
/// than rounding errors. Reads the lower triangle. O(d^3).
inline void require_positive_pivots(const Metric& metric, const std::string& path) {
  Metric left = metric;
  const Index d = metric.rows();
  for (Index k = 0; k < d; ++k) {
    const double pivot = left(k, k);
    if (!(pivot > 1e-15 * static_cast<double>(d) * metric(k, k))) {
      throw InputError(path + ": a curvature is positive definite, but " + entry(metric, k, k) +
                       ", of which the rows before it leave " + text(pivot));
    }
    const Index rest = d - k - 1;
    left.bottomRightCorner(rest, rest)
        .selfadjointView<Eigen::Lower>()
        .rankUpdate(left.col(k).tail(rest), -1.0 / pivot);
  }
}

/// Throws InputError unless H is symmetric (to 1e-12) and positive definite.
inline void require_curvature(const Metric& metric, const std::string& path) {
  require_positive_diagonal(metric, path);
  if (is_diagonal(metric)) return;
  require_symmetric(metric, path);
  require_positive_pivots(metric, path);
}

}  // namespace mixwell::curvature_file
