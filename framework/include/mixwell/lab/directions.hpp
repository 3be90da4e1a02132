// Directions in the space of a parameter vector, along which draws are summarised.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/lab/diagnostics.hpp>

#include <functional>
#include <string>
#include <vector>

namespace mixwell::diagnostics {

/// Eigenvectors of the pooled covariance of draws.
struct PrincipalDirections {
  Eigen::MatrixXd vectors;    ///< coordinates x directions, unit columns, largest variance first
  Eigen::VectorXd variances;  ///< divisor n - 1
  Eigen::Index degenerate;    ///< number of omitted directions; their variance is 0 up to rounding
};

/// Computes the eigenvectors from x (draws x coordinates, all finite). The largest weight of each
/// vector is positive. Variances of at most d epsilon times the largest one are omitted (d
/// coordinates). Such variances occur with collinear coordinates, coordinates on scales about 1e7
/// apart, and fewer draws than coordinates. The covariance depends on the units of the coordinates,
/// so rescaling one changes the directions. Time O(n d^2 + d^3), memory O(n d): about a second for
/// n = 4000, d = 800.
MIXWELL_EXPORT PrincipalDirections principal_directions(const Draws& x);

/// Directions from a user's table, one for each row.
struct GivenDirections {
  std::vector<std::string> names;
  bool is_numbered;         ///< the table has no names, so they are direction[0], direction[1], ...
  Eigen::MatrixXd vectors;  ///< coordinates x directions, unit columns
};

/// Returns the coordinates that the name of a column stands for, such as `x[3]`. Throws an
/// InputError with the rule that the name breaks.
using CoordinatesCalled = std::function<std::vector<Eigen::Index>(const std::string& column)>;

/// Reads a CSV file with a column of weights for each of some elements (`x[3]`, or `"b[2,3]"` in
/// quotes), slices or whole arrays. A column `x` gives each element of x this weight. Columns of
/// fewer elements override columns of more elements. An optional column `name` names the
/// directions; otherwise they are `direction[0]`, .... Elements without a column have weight 0.
/// `called` interprets the names of columns. There are `coordinates` coordinates in total. Throws
/// InputError with file and line if a column is unknown, if two columns give the same element, if a
/// cell is not a finite number, if a row is zero, or if two rows have the same name.
MIXWELL_EXPORT GivenDirections read_directions(const std::string& path, Eigen::Index coordinates,
                                               const CoordinatesCalled& called);

}  // namespace mixwell::diagnostics
