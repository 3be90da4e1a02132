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
  Eigen::Index degenerate;    ///< directions left out: a variance of 0 as far as rounding can tell
};

/// `x`: draws x coordinates, all finite. Each vector's largest weight is positive. Left out are
/// variances of at most d epsilon times the largest one (d coordinates): collinear coordinates,
/// coordinates on scales about 1e7 apart, fewer draws than coordinates. The covariance has the
/// units of the coordinates: scale one and the directions turn.
/// Time O(n d^2 + d^3), memory O(n d): about a second for n = 4000, d = 800.
MIXWELL_EXPORT PrincipalDirections principal_directions(const Draws& x);

/// Directions that a user names, one row of a table each.
struct GivenDirections {
  std::vector<std::string> names;
  bool is_numbered;         ///< the table has no names: they are direction[0], direction[1], ...
  Eigen::MatrixXd vectors;  ///< coordinates x directions, unit columns
};

/// Coordinates that the name of a column means, such as `x[3]`; throws InputError with the rule
/// that the name breaks.
using CoordinatesCalled = std::function<std::vector<Eigen::Index>(const std::string& column)>;

/// Reads a CSV file: a column of weights for each of some elements (`x[3]`, or `"b[2,3]"` in
/// quotes), slices or whole arrays (`x`: that weight for each of its elements; columns of fewer
/// elements override those of more), and if wanted a column `name`; otherwise names are
/// `direction[0]`, ... What has no column has weight 0. `called` says what each column means, of
/// `coordinates` in all.
/// Throws InputError naming file and line for an unknown column, two of one element, a cell that is
/// no finite number, a row of zeros, two rows of one name.
MIXWELL_EXPORT GivenDirections read_directions(const std::string& path, Eigen::Index coordinates,
                                               const CoordinatesCalled& called);

}  // namespace mixwell::diagnostics
