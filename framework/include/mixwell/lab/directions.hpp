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

/// Computes the eigenvectors from x (draws x coordinates, all finite). In each vector, the entry
/// with the largest absolute value is positive. A direction is omitted if its variance is at most d
/// times the machine epsilon times the largest variance, where d is the number of coordinates. Such
/// variances occur if coordinates are collinear, if their scales differ by a factor of about 1e7,
/// or if there are fewer draws than coordinates. The covariance depends on the units of the
/// coordinates, so rescaling a coordinate changes the directions. For n draws, the memory is O(n d)
/// and the time is O(n d^2 + d^3): about a second for n = 4000, d = 800.
MIXWELL_EXPORT PrincipalDirections principal_directions(const Draws& x);

/// Directions from a user's table, one for each row.
struct GivenDirections {
  std::vector<std::string> names;
  bool is_numbered;         ///< the table has no names, so they are direction[0], direction[1], ...
  Eigen::MatrixXd vectors;  ///< coordinates x directions, unit columns
};

/// Returns the coordinates that a column name such as `x[3]` stands for. Throws an InputError with
/// the rule that the name breaks.
using CoordinatesCalled = std::function<std::vector<Eigen::Index>(const std::string& column)>;

/// Reads directions from a CSV file. The name of a column specifies the element (`x[3]`, or
/// `"b[2,3]"` in quotes), the slice or the whole array to which its weights apply. For a slice or
/// an array, each element gets the weight in the column. If several columns cover an element, the
/// column that covers the fewest elements applies. An optional column `name` names the directions;
/// otherwise they are `direction[0]`, .... Elements without a column have weight 0. `called`
/// interprets the names of columns. There are `coordinates` coordinates in total. Throws InputError
/// with file and line if a column is unknown, if two columns name the same elements, if a cell is
/// not a finite number, if a row is zero, or if two rows have the same name.
MIXWELL_EXPORT GivenDirections read_directions(const std::string& path, Eigen::Index coordinates,
                                               const CoordinatesCalled& called);

}  // namespace mixwell::diagnostics
