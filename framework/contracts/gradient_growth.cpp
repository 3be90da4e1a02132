// What a model declares of how its gradient grows, put to the test.
// SPDX-License-Identifier: Apache-2.0
#include "capabilities.hpp"
#include "measured.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace mixwell::contracts {
namespace {

constexpr std::uint64_t seed = 20261123;
/// A slope like the square root of the distance from 0, or of that to it, grows by 56 over the
/// factor 3125 between the distances that are compared; a bounded one by a little.
constexpr double most_growth = 10.0;
/// Below it a slope may be nothing but rounding.
constexpr double least_slope = 1e-6;

/// The largest slope between columns of a and b; NaN if a gradient is not finite.
double largest_slope(const Model& model, const MatrixXd& a, const MatrixXd& b) {
  const MatrixXd difference =
      evaluated(model, a, Asked::gradient).g - evaluated(model, b, Asked::gradient).g;
  if (!difference.allFinite()) return nan;
  return (difference.colwise().norm().array() / (a - b).colwise().norm().array()).maxCoeff();
}

/// Between `distance` and twice that along random directions of unit coordinates.
double slope_far_out(const Model& model, const MatrixXd& theta, double distance) {
  MatrixXd direction(theta.rows(), theta.cols());
  Stream(seed, "contracts/gradient growth").normals({}, direction);
  return largest_slope(model, theta + distance * direction, theta + 2.0 * distance * direction);
}

/// Between `distance` and twice that on the axis of a coordinate: of each, or of 8 to 15 spread
/// over many, so that the cost stays that of a few evaluations.
double slope_near_zero(const Model& model, const MatrixXd& theta, double distance) {
  double worst = 0.0;
  for (Index i = 0; i < theta.rows(); i += std::max<Index>(1, theta.rows() / 8)) {
    MatrixXd near = theta, nearer = theta;
    near.row(i).setConstant(2.0 * distance);
    nearer.row(i).setConstant(distance);
    worst = worse(worst, largest_slope(model, near, nearer));
  }
  return worst;
}

/// "" if `last` is no more than a bounded slope would show after `first`.
std::string growth(const std::string& where, double first, double last) {
  if (std::isnan(first) || std::isnan(last)) return "the gradient is not finite " + where;
  if (last <= std::max(most_growth * first, least_slope)) return {};
  return "the slope of the gradient grows " + where + " from " + text(first) + " to " + text(last);
}

}  // namespace

Finding check_gradient_growth(const Model& model, const MatrixXd& theta) {
  const std::string clause = "gradient growth";
  const GradientGrowth declared = model.gradient_growth();
  if (declared == GradientGrowth::singular || declared == GradientGrowth::undeclared)
    return {clause, true, "nothing is declared that could be wrong"};
  std::string fault = growth("towards 0", slope_near_zero(model, theta, 1e-3),
                             slope_near_zero(model, theta, 1e-3 / 3125.0));
  if (fault.empty() && declared == GradientGrowth::lipschitz) {
    fault = growth("far out", slope_far_out(model, theta, 32.0),
                   slope_far_out(model, theta, 32.0 * 3125.0));
  }
  return {clause, fault.empty(), fault.empty() ? "slopes stay bounded" : fault};
}

}  // namespace mixwell::contracts
